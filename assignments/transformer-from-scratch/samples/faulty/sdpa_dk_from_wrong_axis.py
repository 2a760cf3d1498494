# misconception: sdpa-dk-from-wrong-axis  component: scaled_dot_product_attention
import numpy as np

def row_softmax(z):
    z = z - z.max(-1)[..., None]
    z = np.exp(z)
    return z / z.sum(-1)[..., None]

def scaled_dot_product_attention(Q, K, V, mask=None):
    n, d_k = K.shape[0], K.shape[1]
    scores = np.matmul(Q, K.swapaxes(-1, -2))
    scores = scores * d_k ** -0.5
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    w = row_softmax(scores)
    return np.matmul(w, V), w
