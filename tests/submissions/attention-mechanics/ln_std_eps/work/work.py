import numpy as np


def layer_norm(x, gain, shift, eps=1e-5):
    m = x.mean(-1, keepdims=True)
    s = np.sqrt(np.square(x.std(-1, keepdims=True)) + eps)
    return (x - m) / s * gain + shift
