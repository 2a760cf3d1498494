# expected: fail|exc|crash|protocol
# safe-outcome: strides that lie, memory of another, views past the end and arrays without end arrive as plain numbers or not at all
# stopped-by: copied in the child; checked in the grader
import ctypes

import numpy as np
from numpy.lib.stride_tricks import as_strided


def softmax(x):
    variant = HINTS["variant"]
    if variant == 0:
        return as_strided(np.zeros(1), (2**20, 2**20), (0, 0))
    if variant == 1:
        return as_strided(np.zeros(8), x.shape, (-(1 << 30),))
    if variant == 2:
        return np.ndarray(x.shape, buffer=(ctypes.c_double * len(x)).from_address(0x1000))
    if variant == 3:
        return np.zeros((0, 2**62))
    if variant == 4:
        return np.zeros((1,) * 40)
    return np.zeros(x.shape)[::-1].view(">f8")
