import numpy as np


def layer_norm(x, gain, shift, eps=1e-5):
    c = x - x.mean(-1, keepdims=True)
    return gain * c / np.hypot(np.linalg.norm(c, axis=-1, keepdims=True) / np.sqrt(x.shape[-1]), np.sqrt(eps)) + shift
