# misconception: sdpa-mask-after-softmax  component: scaled_dot_product_attention
import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    alpha = softmax(np.matmul(Q, np.swapaxes(K, -1, -2)) / float(K.shape[-1]) ** 0.5)
    if mask is not None:
        blocked = ~np.broadcast_to(mask, alpha.shape)
        alpha[blocked] = 0.0
    return np.matmul(alpha, V), alpha
