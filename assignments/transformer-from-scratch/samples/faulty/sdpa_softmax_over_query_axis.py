# misconception: sdpa-softmax-over-query-axis  component: scaled_dot_product_attention
import numpy as np


def softmax(x, axis=-1):
    y = np.exp(x - np.max(x, axis, keepdims=True))
    return y / np.sum(y, axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    # scores are (..., keys, queries) here
    scores = K @ np.swapaxes(Q, -1, -2) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(np.swapaxes(mask, -1, -2) if np.ndim(mask) > 1 else mask[:, None], scores, -1e9)
    weights = np.swapaxes(softmax(scores), -1, -2)
    return weights @ V, weights
