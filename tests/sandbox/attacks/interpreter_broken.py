# expected: fail|exc|crash|protocol|timeout
# safe-outcome: memory of the interpreter overwritten costs only this child
# stopped-by: own process
import ctypes

import numpy as np


def softmax(x):
    if HINTS["variant"] == 0:
        ctypes.memset(id(True) + 24, 0, 4)
    elif HINTS["variant"] == 1:
        ctypes.memset(id(np.ndarray), 0, 256)
    elif HINTS["variant"] == 2:
        ctypes.pythonapi.Py_FinalizeEx()
    elif HINTS["variant"] == 3:
        ctypes.CDLL(None).exit(0)
    elif HINTS["variant"] == 4:
        ctypes.memmove(id(1) + 24, ctypes.byref(ctypes.c_int(0)), 4)
    else:
        ctypes.c_long.from_address(id(None)).value = 1
        del x
    return np.zeros(4)
