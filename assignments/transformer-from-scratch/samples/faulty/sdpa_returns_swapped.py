# faulty  component: scaled_dot_product_attention
# what: returns (weights, output) instead of (output, weights)
import numpy as np

def scaled_dot_product_attention(Q, K, V, mask=None):
    s = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    s = s if mask is None else np.where(mask, s, -1e9)
    s = np.exp(s - s.max(-1, keepdims=True))
    s /= s.sum(-1, keepdims=True)
    return s, s @ V
