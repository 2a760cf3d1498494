# expected: fail|exc|crash
# safe-outcome: what a thread or an exit handler defines after the file has stopped is judged like the rest
# stopped-by: the same values, compared
import atexit
import sys
import threading

import numpy as np

me = sys.modules[__name__].__dict__


def softmax(x):
    return np.zeros_like(x)


def later():
    me["softmax"] = lambda x: x
    for n in range(3000):
        me[f"late{n}"] = n


threading.Timer(0.01, later).start()
atexit.register(later)
sys.excepthook = lambda *args: later()
raise ValueError("stopped")
