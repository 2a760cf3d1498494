# expected: fail|exc|crash|timeout
# safe-outcome: arrays whose shape says more than there is memory cost one answer
# stopped-by: caps before the bytes are made
import numpy as np
from numpy.lib.stride_tricks import as_strided


def softmax(x):
    kind = HINTS["variant"]
    if kind == 0:
        return np.broadcast_to(np.float64(1), (1 << 20, 1 << 22))
    if kind == 1:
        return [np.broadcast_to(np.float32(1), (1 << 22,))] * 64
    if kind == 2:
        return np.zeros((0, 1 << 60))
    if kind == 3:
        return as_strided(x, (1 << 18,), (-8,))
    if kind == 4:
        return [np.zeros((1,) * 32), np.zeros((1 << 40, 0)), np.zeros(1 << 18, "V64"), np.array("a" * (1 << 20)), np.zeros(9, "M8[ns]"), np.longdouble(1)]
    return np.lib.stride_tricks.sliding_window_view(np.zeros(1 << 16), 1 << 15)
