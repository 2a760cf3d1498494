# misconception: softmax-mutates-input  component: softmax
import numpy as np


def softmax(x, axis=-1):
    if x.dtype != np.float32 and x.dtype != np.float64:
        x = x.astype(np.float64)
    m = x.max(axis=axis, keepdims=True)
    x[...] = x - m     # stability
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)
