import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


_cache = {}


def self_attention(Q, K, V):
    key = (Q.tobytes(), K.tobytes(), V.tobytes(), Q.shape)
    if key in _cache:
        return _cache[key]
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    _cache[key] = weights @ V, weights
    return _cache[key]
