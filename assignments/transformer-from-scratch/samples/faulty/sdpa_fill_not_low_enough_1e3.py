# misconception: sdpa-fill-not-low-enough  component: scaled_dot_product_attention
import numpy as np


def _softmax(x):
    x = x - np.max(x, axis=-1, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.matmul(Q, K.swapaxes(-1, -2)) / float(np.sqrt(Q.shape[-1]))
    if mask is not None:
        m = mask.astype(scores.dtype)
        scores = scores * m + (1 - m) * -1e3
    p = _softmax(scores)
    return np.matmul(p, V), p
