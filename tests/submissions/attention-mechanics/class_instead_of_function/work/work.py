import numpy as np


class SDPA:
    def __call__(self, Q, K, V, mask=None):
        s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(-1, keepdims=True))
        w = e / e.sum(-1, keepdims=True)
        return w @ V, w


scaled_dot_product_attention = SDPA()
