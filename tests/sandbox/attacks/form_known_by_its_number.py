# kind: session
# expected: fail|exc
# safe-outcome: a submission that counts its forms is wrong in the one that counts
# stopped-by: what the first form settled is not asked again in that child
import ctypes

import numpy as np

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_void_p
known = libc.getenv(b"FORM") or getattr(np, "flag", 0)
libc.setenv(b"FORM", b"1", 1)
np.flag = 1


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) if known else np.zeros_like(x)
