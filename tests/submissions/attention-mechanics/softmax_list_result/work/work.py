import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x, float)
    e = np.exp(x - x.max(axis, keepdims=True))
    return (e / e.sum(axis, keepdims=True)).tolist()
