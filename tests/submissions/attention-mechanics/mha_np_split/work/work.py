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



def multi_head_attention(q, k, v, w, h, mask=None):
    if q.shape[-1] % h:
        raise ValueError("no")
    q, k, v = q.dot(w["w_q"]), k.dot(w["w_k"]), v.dot(w["w_v"])
    stack = lambda x: np.stack(np.split(x, h, axis=-1), axis=-3)
    if mask is not None and mask.ndim == 3:
        mask = np.expand_dims(mask, 1)
    o, _ = scaled_dot_product_attention(stack(q), stack(k), stack(v), mask)
    return np.concatenate([o[..., i, :, :] for i in range(h)], -1).dot(w["w_o"])
