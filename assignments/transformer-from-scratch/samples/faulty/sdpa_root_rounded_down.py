# faulty  component: scaled_dot_product_attention
# what: rounds sqrt(d_k) down to an integer, right only where d_k is a square
import math
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    scale = int(math.sqrt(Q.shape[-1]))
    scores = np.matmul(Q, np.swapaxes(K, -2, -1)) / scale
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attn = e / e.sum(axis=-1, keepdims=True)
    return np.matmul(attn, V), attn
