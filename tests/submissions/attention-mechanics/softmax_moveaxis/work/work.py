import numpy as np


def softmax(x, axis=-1):
    x = np.moveaxis(np.asarray(x, float), axis, -1)
    e = np.exp(x - x.max(-1)[..., None])
    return np.moveaxis(e / e.sum(-1)[..., None], -1, axis)
