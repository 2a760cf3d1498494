import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]).astype(Q.dtype if Q.dtype.kind == "f" else np.float64)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores)
    return weights @ V, weights



def multi_head_attention(query, key, value, weights, num_heads, mask=None):
    d = query.shape[-1]
    if d % num_heads != 0:
        raise ValueError(f"{d} % {num_heads}")
    dk = d // num_heads
    q, k, v = query @ weights["w_q"], key @ weights["w_k"], value @ weights["w_v"]
    outs = []
    for h in range(num_heads):
        cols = slice(h * dk, (h + 1) * dk)
        m = mask
        if mask is not None and mask.ndim == 4:
            m = mask[:, h] if mask.shape[1] > 1 else mask[:, 0]
        outs.append(scaled_dot_product_attention(q[..., cols], k[..., cols], v[..., cols], m)[0])
    return np.concatenate(outs, axis=-1) @ weights["w_o"]
