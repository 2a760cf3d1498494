import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _rows(Q, K):
    for q in Q:
        yield softmax(K @ q / np.sqrt(len(q)))


def self_attention(Q, K, V):
    weights = np.stack(list(_rows(Q, K)))
    return weights @ V, weights
