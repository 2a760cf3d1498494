# misconception: sdpa-fill-tiny-positive  component: scaled_dot_product_attention
import numpy as np

NEG_INF = -1e-9


def scaled_dot_product_attention(Q, K, V, mask=None):
    s = Q @ np.moveaxis(K, -2, -1) * Q.shape[-1] ** -0.5
    if mask is not None:
        keep = np.broadcast_to(mask, s.shape)
        s[~keep] = NEG_INF
    s -= s.max(axis=-1, keepdims=True)
    s = np.exp(s)
    s /= s.sum(axis=-1, keepdims=True)
    return s @ V, s
