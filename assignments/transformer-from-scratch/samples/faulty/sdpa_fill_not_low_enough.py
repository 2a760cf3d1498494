# misconception: sdpa-fill-not-low-enough  component: scaled_dot_product_attention
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    d = Q.shape[-1]
    scores = (Q / d ** 0.5) @ K.swapaxes(-1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -50.0)
    w = np.exp(scores - scores.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return w @ V, w
