# misconception: sdpa-scale-inverted  component: scaled_dot_product_attention
import math
import numpy as np


def _softmax(t):
    t = np.exp(t - np.max(t, axis=-1, keepdims=True))
    return t / np.sum(t, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    temperature = 1 / math.sqrt(K.shape[-1])
    attn = np.matmul(Q / temperature, K.swapaxes(-2, -1))
    if mask is not None:
        attn = np.where(mask == False, -1e30, attn)
    attn = _softmax(attn)
    return attn @ V, attn
