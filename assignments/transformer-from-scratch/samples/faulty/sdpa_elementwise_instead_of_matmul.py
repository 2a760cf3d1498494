# misconception: sdpa-elementwise-instead-of-matmul  component: scaled_dot_product_attention
import numpy as np

def row_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

def scaled_dot_product_attention(Q, K, V, mask=None):
    attn = np.multiply(Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        attn = np.where(mask, attn, -1e9)
    attn = row_softmax(attn)
    return np.multiply(attn, V), attn
