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



class ShapeError(ValueError):
    pass


def multi_head_attention(query, key, value, weights, num_heads, mask=None):
    D = query.shape[-1]
    if D % num_heads:
        raise ShapeError("d_model")
    s = lambda x: np.moveaxis(x.reshape(x.shape[:-1] + (num_heads, D // num_heads)), -2, -3)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, np.newaxis]
    o = scaled_dot_product_attention(s(query @ weights["w_q"]), s(key @ weights["w_k"]), s(value @ weights["w_v"]), mask)[0]
    return np.moveaxis(o, -3, -2).reshape(*query.shape[:-1], D) @ weights["w_o"]
