# misconception: sdpa-keyt-reverses-all-axes  component: scaled_dot_product_attention
import numpy as np

def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.matmul(Q, np.transpose(K)) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    attention = _softmax(scores)
    return np.matmul(attention, V), attention
