# misconception: sdpa-softmax-over-everything  component: scaled_dot_product_attention
import numpy as np


def _softmax(s):
    flat = s.reshape(*s.shape[:-2], -1)
    flat = np.exp(flat - flat.max(-1, keepdims=True))
    flat = flat / flat.sum(-1, keepdims=True)
    return flat.reshape(s.shape)


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = np.matmul(Q, K.swapaxes(-1, -2)) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -1e20)
    p = _softmax(s)
    return p @ V, p
