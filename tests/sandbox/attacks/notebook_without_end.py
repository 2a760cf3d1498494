# kind: archive
# expected: refused|fail|exc|timeout
# safe-outcome: cell magics by the thousand, lines of blanks and cells of any form take the reader no long time
# stopped-by: time grows with the length alone; caps
import json
import os


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.ipynb")
    right = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"
    code = (
        "%%anything\n" * 15_000 + "x = 1",
        (" " * 1999 + "\n") * 5000 + "%who\n(",
        ("a, " * 660 + "\n") * 60 + "%who\n((",
        "%time " * 12_000 + "x\n(",
        "'''" + "\\\n" * 20_000 + "!x\n(",
        "!ls \\\n" * 15_000 + "(",
    )[hints["variant"]]
    cells = [{"cell_type": "code", "source": text, "metadata": {}} for text in (right, code)]
    open(path, "w").write(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}))
    return path
