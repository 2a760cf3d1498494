# faulty  component: scaled_dot_product_attention
# what: multiplies the values by the transposed weights (runs only where n = m)
import numpy as np


def _softmax(z):
    z = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return z / np.sum(z, axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.einsum("...qd,...kd->...qk", Q, K) / float(Q.shape[-1]) ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    w = _softmax(scores)
    return np.swapaxes(w, -1, -2) @ V, w
