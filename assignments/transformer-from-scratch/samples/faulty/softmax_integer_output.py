# misconception: softmax-integer-output  component: softmax
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    result = np.empty(x.shape, dtype=x.dtype)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    result[...] = e / e.sum(axis=axis, keepdims=True)
    return result
