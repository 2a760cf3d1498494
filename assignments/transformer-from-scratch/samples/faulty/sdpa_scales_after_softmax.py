# faulty  component: scaled_dot_product_attention
# what: the division by sqrt(d_k) happens after the softmax, on the weights
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = np.einsum("...nd,...md->...nm", Q, K)
    if mask is not None:
        s = np.where(mask, s, -1e30)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True) / Q.shape[-1] ** 0.5
    return w @ V, w
