import numpy as np


def softmax(x, dim=-1):
    x = np.asarray(x, float)
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)
