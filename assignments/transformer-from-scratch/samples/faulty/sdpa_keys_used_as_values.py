# misconception: sdpa-keys-used-as-values  component: scaled_dot_product_attention
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    kT = K.swapaxes(-1, -2)
    e = Q @ kT / K.shape[-1] ** 0.5
    if mask is not None:
        e = np.where(mask, e, -1e15)
    e = np.exp(e - e.max(-1, keepdims=True))
    e = e / e.sum(-1, keepdims=True)
    out = np.einsum("...nm,...md->...nd", e, K)
    return out, e
