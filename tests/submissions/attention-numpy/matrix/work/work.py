import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    Q, K, V = np.matrix(Q), np.matrix(K), np.matrix(V)
    weights = np.matrix(softmax(np.asarray(Q * K.T / np.sqrt(Q.shape[1]))))
    return weights * V, weights
