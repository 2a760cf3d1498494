import numpy as np


def softmax(*args, **kwargs):
    (x,) = args
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


def self_attention(*qkv):
    Q, K, V = qkv
    w = softmax(Q @ K.T / len(Q[0]) ** 0.5)
    return w @ V, w
