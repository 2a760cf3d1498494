# correct  component: softmax
import numpy as np


def _softmax_1d(row):
    row = row - np.max(row)
    ex = np.exp(row)
    return ex / np.sum(ex)


def softmax(x, axis=-1):
    """Softmax along any axis, one slice at a time (slow but readable)."""
    arr = np.array(x)
    if arr.dtype.kind in "iub":
        arr = arr.astype(np.float64)
    return np.apply_along_axis(_softmax_1d, axis, arr)
