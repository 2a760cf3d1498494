import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)



def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ np.moveaxis(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        m = np.ma.array(s, mask=~np.broadcast_to(mask, s.shape))
        e = np.ma.exp(m - m.max(axis=-1, keepdims=True))
        w = (e / e.sum(axis=-1, keepdims=True)).filled(0.0)
    else:
        w = softmax(s)
    return w @ v, w
