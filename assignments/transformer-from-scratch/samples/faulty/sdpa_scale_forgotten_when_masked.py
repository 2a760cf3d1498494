# faulty  component: scaled_dot_product_attention
# what: the scale is applied only in the branch without a mask
import numpy as np


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    raw = Q @ K.swapaxes(-1, -2)
    if mask is None:
        w = _softmax(raw / Q.shape[-1] ** 0.5)
    else:
        w = _softmax(np.where(mask, raw, -1e10))
    return w @ V, w
