import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    big = np.zeros((len(Q) * 2, V.shape[1] * 2))
    big[::2, ::2] = weights @ V
    return big[::2, ::2], np.broadcast_to(weights[None], (1, *weights.shape))[0]
