import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights

x = np.array([[1.0, 2], [3, 4]])
assert np.allclose(softmax(x).sum(-1), 1)
out, w = self_attention(x, x, x)
assert out.shape == (2, 2)
