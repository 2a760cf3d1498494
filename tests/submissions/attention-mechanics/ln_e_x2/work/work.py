import numpy as np


def layer_norm(x, gain, shift, eps=1e-5):
    m = x.mean(-1, keepdims=True)
    c = x - m
    v = (c * c).mean(-1, keepdims=True) - c.mean(-1, keepdims=True) ** 2
    return np.multiply(gain, np.divide(c, np.sqrt(v + eps))) + shift
