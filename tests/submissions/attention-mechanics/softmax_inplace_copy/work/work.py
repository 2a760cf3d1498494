import numpy as np


def softmax(x, axis=-1):
    x = x.astype(float, copy=True)
    x -= x.max(axis, keepdims=True)
    np.exp(x, x)
    x /= x.sum(axis, keepdims=True)
    return x
