import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).tolist()


def self_attention(Q, K, V):
    weights = np.array(softmax(Q @ K.T / np.sqrt(Q.shape[-1])))
    return (weights @ V).tolist(), weights.tolist()
