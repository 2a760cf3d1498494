import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x) * 1.0
    e = np.exp(x - np.expand_dims(np.max(x, axis), axis))
    return e / np.expand_dims(np.sum(e, axis), axis)
