import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)



def scaled_dot_product_attention(q, k, v, mask=None):
    scores = np.matmul(q, k.swapaxes(-2, -1)) / np.sqrt(k.shape[-1])
    if mask is not None:
        m = np.asarray(mask).astype(int)
        scores = scores + (1 - m) * -1e9
    w = softmax(scores)
    return np.matmul(w, v), w
