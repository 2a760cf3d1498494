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
    D = query.shape[-1]
    if D % num_heads:
        raise ValueError("d_model")
    W = {n: w.reshape(D, num_heads, D // num_heads) for n, w in weights.items() if n != "w_o"}
    q = np.einsum("...nd,dhk->...hnk", query, W["w_q"])
    k = np.einsum("...nd,dhk->...hnk", key, W["w_k"])
    v = np.einsum("...nd,dhk->...hnk", value, W["w_v"])
    if mask is not None and mask.ndim == 3:
        mask = mask[:, np.newaxis]
    o = scaled_dot_product_attention(q, k, v, mask)[0]
    return np.einsum("...hnk,hkd->...nd", o, weights["w_o"].reshape(num_heads, D // num_heads, D))
