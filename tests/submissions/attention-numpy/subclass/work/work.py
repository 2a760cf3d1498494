import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Named(np.ndarray):
    def __new__(cls, a, axes=()):
        obj = np.asarray(a).view(cls)
        obj.axes = axes
        return obj

    def __array_finalize__(self, obj):
        self.axes = getattr(obj, 'axes', ())


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return Named(weights @ V, ('n', 'd')), Named(weights)
