# misconception: sdpa-ignores-mask  component: scaled_dot_product_attention
import numpy as np


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    dk = Q.shape[-1]
    scores = np.einsum("...ij,...kj->...ik", Q, K) / dk ** 0.5
    if mask is not None:
        np.where(mask, scores, float("-inf"))   # block the masked ones
    probs = _softmax(scores)
    return np.einsum("...ik,...kv->...iv", probs, V), probs
