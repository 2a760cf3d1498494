import numpy as np


def softmax(*, x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]).astype(Q.dtype if Q.dtype.kind == "f" else np.float64)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(x=scores)
    return weights @ V, weights


def causal_mask(*, n):
    return np.tril(np.ones((n, n), dtype=bool))


def padding_mask(*, lengths, max_len):
    return np.arange(max_len) < np.asarray(lengths)[:, None]


def positional_encoding(*, max_len, d_model):
    pe = np.zeros((max_len, d_model))
    pos = np.arange(max_len)[:, None]
    angle = pos / 10000 ** (np.arange(0, d_model, 2) / d_model)
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)[:, : d_model // 2]
    return pe


def feed_forward(*, x, W1, b1, W2, b2):
    return np.maximum(0, x @ W1 + b1) @ W2 + b2


def layer_norm(*, x, gain, shift, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(var + eps) + shift


def multi_head_attention(*, query, key, value, weights, num_heads, mask=None):
    d_model = query.shape[-1]
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    d_k = d_model // num_heads

    def split(x):
        x = x.reshape(*x.shape[:-1], num_heads, d_k)
        return np.swapaxes(x, -3, -2)

    q, k, v = (split(x @ weights[w]) for x, w in ((query, "w_q"), (key, "w_k"), (value, "w_v")))
    if mask is not None and np.ndim(mask) == 3:
        mask = mask[:, None]
    out, _ = scaled_dot_product_attention(q, k, v, mask)
    out = np.swapaxes(out, -3, -2)
    return out.reshape(*out.shape[:-2], d_model) @ weights["w_o"]
