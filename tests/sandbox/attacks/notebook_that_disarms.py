# kind: archive
# expected: timeout|exc|fail|crash
# safe-outcome: a cell that takes away the alarm, blocks it or catches what it raises ends at the wall limit
# stopped-by: the deadline of the grader
import json
import os

CELLS = (
    "import signal\nsignal.setitimer = lambda *args: None\nsignal.alarm(0)\n",
    "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\nwhile HINTS['variant'] == 0: pass\n",
    "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile HINTS['variant'] == 1: pass\n",
    "while HINTS['variant'] == 2:\n    try:\n        while True: pass\n    except BaseException: pass\n",
    "import threading, time\nwhile HINTS['variant'] == 3: time.sleep(0.01)\n",
    "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n",
)


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.ipynb")
    cells = [{"cell_type": "code", "source": text, "metadata": {}} for text in CELLS]
    open(path, "w").write(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}))
    return path
