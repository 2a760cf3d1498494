# misconception: sdpa-scales-query-in-place  component: scaled_dot_product_attention
import math
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    if Q.dtype.kind != "f":
        Q = Q.astype(float)
    np.divide(Q, math.sqrt(Q.shape[-1]), out=Q)
    s = np.matmul(Q, K.swapaxes(-1, -2))
    s = s if mask is None else np.where(mask, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return np.matmul(s, V), s
