# faulty  component: scaled_dot_product_attention
# what: applies the mask with its query and key axes swapped
import numpy as np

def scaled_dot_product_attention(Q, K, V, mask=None):
    kt = np.swapaxes(K, -1, -2)
    s = Q @ kt * (Q.shape[-1] ** -0.5)
    if mask is not None:
        s = np.where(np.swapaxes(mask, -1, -2), s, -1e12)
    s = s - s.max(-1, keepdims=True)
    w = np.exp(s) / np.exp(s).sum(-1, keepdims=True)
    return w @ V, w
