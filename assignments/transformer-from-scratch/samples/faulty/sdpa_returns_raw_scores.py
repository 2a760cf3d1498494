# misconception: sdpa-returns-raw-scores  component: scaled_dot_product_attention
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    attention = Q @ K.swapaxes(-2, -1) / Q.shape[-1] ** 0.5
    if mask is not None:
        attention = np.where(mask, attention, -1e9)
    return softmax(attention) @ V, attention
