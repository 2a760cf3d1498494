# faulty  component: scaled_dot_product_attention
# what: uses the first sample's mask for the whole batch
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.matmul(Q / Q.shape[-1] ** 0.5, np.swapaxes(K, -1, -2))
    if mask is not None:
        while mask.ndim > 2:
            mask = mask[0]
        scores = np.where(mask, scores, -1e9)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    return np.matmul(p, V), p
