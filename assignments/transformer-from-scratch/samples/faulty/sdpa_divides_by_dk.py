# faulty  component: scaled_dot_product_attention
# what: divides the scores by d_k instead of by its square root
import numpy as np


def row_softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = np.matmul(Q, K.swapaxes(-1, -2)) / d_k
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    attn = row_softmax(scores)
    return np.matmul(attn, V), attn
