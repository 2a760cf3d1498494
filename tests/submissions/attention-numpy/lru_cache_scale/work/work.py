from functools import lru_cache
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@lru_cache(maxsize=None)
def scale(d):
    return d ** -0.5


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T * scale(Q.shape[-1]))
    return weights @ V, weights
