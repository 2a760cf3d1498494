# expected: fail|exc|crash|protocol
# safe-outcome: audit hooks, excepthooks and collector callbacks that raise cost only this submission
# stopped-by: own process
import builtins
import gc
import sys
import warnings

import numpy as np


def refuse(*args):
    raise SystemExit(0)


sys.excepthook = sys.unraisablehook = sys.displayhook = sys.breakpointhook = refuse
builtins.__build_class__ = refuse
warnings.showwarning = refuse
gc.callbacks.append(lambda phase, info: None)
gc.set_threshold(1)
sys.setswitchinterval(1e-6)


def softmax(x):
    sys.addaudithook(refuse)
    return np.zeros_like(x)
