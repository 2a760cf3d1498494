# misconception: sdpa-scale-by-dv  component: scaled_dot_product_attention
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    *_, m, d = V.shape
    scores = Q.dot(K.T) if Q.ndim == 2 and K.ndim == 2 else Q @ np.swapaxes(K, -1, -2)
    scores = scores / float(np.sqrt(d))
    if mask is not None:
        scores = scores + np.where(mask, 0.0, -np.inf).astype(scores.dtype)
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights
