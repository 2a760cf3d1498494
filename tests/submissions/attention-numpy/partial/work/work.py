from functools import partial
import numpy as np


def _softmax(axis, x):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


softmax = partial(_softmax, -1)


def _att(f, Q, K, V):
    w = f(Q.dot(K.T) / np.sqrt(K.shape[1]))
    return w.dot(V), w


self_attention = partial(_att, softmax)
