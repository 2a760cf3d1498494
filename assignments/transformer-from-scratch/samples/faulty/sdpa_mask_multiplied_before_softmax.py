# misconception: sdpa-mask-multiplied-before-softmax  component: scaled_dot_product_attention
import numpy as np

def attn_scores(Q, K, mask):
    scores = np.einsum("...nd,...md->...nm", Q, K) / Q.shape[-1] ** .5
    if mask is None:
        return scores
    return scores * mask.astype(scores.dtype)

def scaled_dot_product_attention(Q, K, V, mask=None):
    s = attn_scores(Q, K, mask)
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return s @ V, s
