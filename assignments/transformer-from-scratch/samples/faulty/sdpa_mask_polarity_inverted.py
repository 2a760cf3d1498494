# misconception: sdpa-mask-polarity-inverted  component: scaled_dot_product_attention
import numpy as np


def scaled_dot_product_attention(Q, K, V, mask=None):
    """mask: positions that are True get -1e9 (same as torch key_padding_mask)"""
    scale = Q.shape[-1] ** 0.5
    scores = Q @ K.swapaxes(-1, -2) / scale
    if mask is not None:
        scores = scores + mask.astype(scores.dtype) * -1e9
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ V, weights
