# misconception: sdpa-no-scale  component: scaled_dot_product_attention
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    e = np.einsum("...ik,...jk->...ij", Q, K)
    if mask is not None:
        e = np.where(mask, e, -np.inf)
    e = np.exp(e - e.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("...ij,...jv->...iv", a, V), a
