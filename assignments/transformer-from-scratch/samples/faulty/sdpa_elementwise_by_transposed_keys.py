# misconception: sdpa-elementwise-instead-of-matmul  component: scaled_dot_product_attention
import math
import numpy as np

class _Bias:
    def __init__(self, mask):
        self.mask = mask

    def to(self, logits):
        if self.mask is None:
            return logits
        return logits + np.where(self.mask, 0.0, -1e30)

def soft(z, axis=-1):
    top = np.amax(z, axis=axis, keepdims=True)
    num = np.exp(z - top)
    return num / np.sum(num, axis=axis, keepdims=True)

def scaled_dot_product_attention(Q, K, V, mask=None):
    keys_t = np.swapaxes(K, -1, -2)
    logits = np.multiply(Q / math.sqrt(K.shape[-1]), keys_t)
    logits = _Bias(mask).to(logits)
    p = soft(logits)
    return (np.matmul(p, V), p)
