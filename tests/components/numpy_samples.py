"""Submissions written out as students write them, right in several styles."""

from __future__ import annotations

SOFTMAX = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True)); return e / e.sum(axis=axis, keepdims=True)
"""

RIGHT: tuple[tuple[str, str], ...] = (
    (
        "softmax",
        """
import numpy as np
def softmax(z, axis=-1):
    z = np.asarray(z)
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-9)
""",
    ),
    (
        "softmax",
        """
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=np.float32)
    m = np.amax(x, axis=axis, keepdims=True)
    l = m + np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))
    return np.exp(x - l)
""",
    ),
    (
        "softmax",
        """
import numpy as np
def softmax(x, axis=-1):
    x = np.moveaxis(np.array(x, float), axis, -1)
    out = np.zeros(x.shape)
    for i in np.ndindex(x.shape[:-1]):
        v = x[i] - max(x[i]); e = np.exp(v); out[i] = e / e.sum()
    return np.moveaxis(out, -1, axis)
""",
    ),
    (
        "scaled_dot_product_attention",
        """
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)
def scaled_dot_product_attention(q, k, v, attn_mask=None):
    d = q.shape[-1]
    s = np.matmul(q, np.moveaxis(k, -1, -2)) / d ** 0.5
    if attn_mask is not None:
        s = s + (1.0 - attn_mask) * -1e9
    w = softmax(s)
    return np.matmul(w, v), w
""",
    ),
    (
        "scaled_dot_product_attention",
        """
import numpy as np, math
def scaled_dot_product_attention(Q, K, V, mask=None):
    s = np.einsum('...nd,...md->...nm', Q / math.sqrt(Q.shape[-1]), K)
    if mask is not None:
        s = np.where(mask == 0, -np.inf, s)
    a = np.exp(s - np.max(s, axis=-1, keepdims=True))
    if mask is not None:
        a = a * mask
    a = a / (a.sum(axis=-1, keepdims=True) + 1e-12)
    return [a @ V, a]
""",
    ),
    (
        "scaled_dot_product_attention",
        """
import numpy as np
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q = np.asarray(Q, dtype=np.float32); K = np.asarray(K, dtype=np.float32); V = np.asarray(V, dtype=np.float32)
    s = Q @ K.swapaxes(-2, -1) / np.sqrt(np.float32(Q.shape[-1]))
    if mask is not None:
        s = np.where(mask, s, np.finfo(np.float32).min)
    s = s - s.max(-1, keepdims=True)
    w = np.exp(s); w /= w.sum(-1, keepdims=True)
    return w @ V, w
""",
    ),
    (
        "causal_mask",
        """
import numpy as np
def causal_mask(size):
    return ~np.triu(np.ones((size, size), dtype=bool), k=1)
""",
    ),
    (
        "causal_mask",
        """
def causal_mask(n):
    return [[j <= i for j in range(n)] for i in range(n)]
""",
    ),
    (
        "causal_mask",
        """
import numpy as np
def causal_mask(n):
    i = np.arange(n)
    return i[:, None] >= i
""",
    ),
    (
        "padding_mask",
        """
import numpy as np
def padding_mask(lengths, max_len):
    return np.array([[i < l for i in range(max_len)] for l in lengths])
""",
    ),
    (
        "padding_mask",
        """
import numpy as np
def padding_mask(lengths, max_len):
    lengths = np.array(lengths)
    return (np.arange(max_len)[np.newaxis, :] < lengths[:, np.newaxis]).astype(bool)
""",
    ),
    (
        "attention_masks",
        """
import numpy as np
def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]
def make_tgt_mask(ids, pad_id):
    n = ids.shape[-1]
    return make_src_mask(ids, pad_id) & np.tril(np.ones((1, 1, n, n), dtype=bool))
""",
    ),
    (
        "attention_masks",
        """
import numpy as np
def make_src_mask(src, pad_idx):
    real = src != pad_idx
    return real[:, None, :, None] & real[:, None, None, :]
def make_tgt_mask(tgt, pad_idx):
    real = tgt != pad_idx
    n = tgt.shape[1]
    return (real[:, None, :, None] & real[:, None, None, :]) & np.tril(np.ones((n, n))).astype(bool)
""",
    ),
    (
        "positional_encoding",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model), dtype=np.float32)
    pos = np.arange(max_len, dtype=np.float32)[:, None]
    div = np.exp(np.arange(0, d_model, 2, dtype=np.float32) * -(np.log(10000.0) / d_model))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div[: pe[:, 1::2].shape[1]])
    return pe
""",
    ),
    (
        "positional_encoding",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    angles = np.arange(max_len)[:, None] / np.power(10000, (2 * (np.arange(d_model)[None, :] // 2)) / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return angles
""",
    ),
    (
        "token_embedding",
        """
import numpy as np
def token_embedding(ids, table):
    return table[ids] * np.sqrt(table.shape[-1])
""",
    ),
    (
        "token_embedding",
        """
import numpy as np
def token_embedding(ids, table):
    onehot = np.eye(table.shape[0])[ids]
    return onehot @ table * table.shape[1] ** 0.5
""",
    ),
    (
        "feed_forward",
        """
import numpy as np
def feed_forward(x, w1, b1, w2, b2):
    h = np.dot(x, w1) + b1
    h[h < 0] = 0
    return np.dot(h, w2) + b2
""",
    ),
    (
        "feed_forward",
        """
import numpy as np
def feed_forward(x, W1, b1, W2, b2):
    h = np.einsum('...d,df->...f', x, W1) + b1
    return np.einsum('...f,fd->...d', h * (h > 0), W2) + b2
""",
    ),
    (
        "layer_norm",
        """
import numpy as np
def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return gamma * (x - mu) / np.sqrt(var + eps) + beta
""",
    ),
    (
        "layer_norm",
        """
import numpy as np
def layer_norm(x, gain, shift, eps=1e-5):
    n = x.shape[-1]
    m = np.sum(x, -1, keepdims=True) / n
    v = np.sum(x * x, -1, keepdims=True) / n - m * m
    return (x - m) * (v + eps) ** -0.5 * gain + shift
""",
    ),
    (
        "multi_head_attention",
        """
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = query.shape[-1]
    if d % num_heads: raise ValueError('no')
    dk = d // num_heads
    q, k, v = query @ W_q, key @ W_k, value @ W_v
    out = []
    for h in range(num_heads):
        c = slice(h * dk, (h + 1) * dk)
        s = q[..., c] @ np.swapaxes(k[..., c], -1, -2) / np.sqrt(dk)
        if mask is not None:
            m = mask[:, min(h, mask.shape[1] - 1)] if mask.ndim == 4 else mask
            s = np.where(m, s, -1e9)
        out.append(softmax(s) @ v[..., c])
    return np.concatenate(out, axis=-1) @ W_o
""",
    ),
)
