# misconception: sdpa-softmax-over-batch-axis  component: scaled_dot_product_attention
import numpy as np

def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    logits = (Q @ K.swapaxes(-2, -1)) * (1.0 / d_k ** 0.5)
    if mask is not None:
        logits = np.where(mask, logits, np.finfo(logits.dtype).min)
    ex = np.exp(logits - logits.max())
    weights = ex / sum(ex)          # python sum goes over the first axis
    return weights @ V, weights
