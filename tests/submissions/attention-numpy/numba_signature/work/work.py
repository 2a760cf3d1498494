import numpy as np
import numba as nb
from numba import types


@nb.njit('float64[:,:](float64[:,:])', cache=True)
def _soft(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax(x):
    return _soft(x)


@nb.jit(nopython=True, parallel=True)
def self_attention(Q, K, V):
    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return w @ V, w
