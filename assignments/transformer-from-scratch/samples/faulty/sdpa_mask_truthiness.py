# misconception: sdpa-mask-truthiness  component: scaled_dot_product_attention
import numpy as np


def apply_mask(scores, mask):
    return np.where(mask, scores, -1e9)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    if mask != None and True:
        scores = apply_mask(scores, mask)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    return p @ V, p
