# correct  component: scaled_dot_product_attention
import numpy as np


def softmax(x, axis=-1):
    m = np.amax(x, axis=axis, keepdims=True)
    e = np.exp(x - m)
    return e / np.sum(e, axis=axis, keepdims=True)


def mask_to_bias(mask, dtype):
    # True -> 0, False -> -inf
    bias = np.zeros(np.shape(mask), dtype=dtype)
    bias[~np.asarray(mask, dtype=bool)] = -np.inf
    return bias


def scaled_dot_product_attention(Q, K, V, mask=None):
    root = float(Q.shape[-1]) ** 0.5
    logits = np.matmul(Q / root, np.moveaxis(K, -1, -2))
    if mask is not None:
        logits = logits + mask_to_bias(mask, logits.dtype)
    attn = softmax(logits)
    return np.matmul(attn, V), attn
