import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)



def scaled_dot_product_attention(q, k, v, mask=None):
    s = np.einsum("...nd,...md->...nm", q, k) / k.shape[-1] ** 0.5
    s = s - s.max(-1, keepdims=True)
    e = np.exp(s)
    if mask is not None:
        e = e * mask
    w = e / (e.sum(-1, keepdims=True) + 1e-300)
    return np.einsum("...nm,...md->...nd", w, v), w
