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
    if d % num_heads:
        raise ValueError
    f = lambda x: np.swapaxes(x.reshape(*x.shape[:-1], num_heads, -1), -2, -3)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    o, a = scaled_dot_product_attention(f(query @ weights["w_q"]), f(key @ weights["w_k"]), f(value @ weights["w_v"]), mask)
    return np.swapaxes(o, -2, -3).reshape(query.shape) @ weights["w_o"], a
