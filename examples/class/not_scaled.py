import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    scores = np.dot(Q, K.T)
    weights = softmax(scores)
    return np.dot(weights, V), weights
