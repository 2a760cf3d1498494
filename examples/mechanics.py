"""A hand-in with three slips: the mask is multiplied, the triangle reaches too far, the cosine has its own exponent."""

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = softmax(scores)
    return weights @ V, weights


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool), 1)


def positional_encoding(max_len, d_model):
    position, column = np.arange(max_len)[:, None], np.arange(d_model)[None]
    angle = position / 10000 ** (column / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
