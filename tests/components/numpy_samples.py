"""Submissions written out as students write them: right ones in several styles, and wrong ones with their slips."""

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

# (component, what is wrong, ids named: none where honesty is to say nothing, code)
WRONG: tuple[tuple[str, str, str, str], ...] = (
    (
        "softmax",
        "no axis and no shift",
        "softmax-over-everything + softmax-no-max-shift",
        """
import numpy as np
def softmax(x, axis=-1):
    return np.exp(x) / np.sum(np.exp(x))
""",
    ),
    (
        "softmax",
        "no shift + hard axis1",
        "softmax-hardcoded-axis1 + softmax-no-max-shift",
        """
import numpy as np
def softmax(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
""",
    ),
    (
        "softmax",
        "writes into zeros_like",
        "softmax-integer-output",
        """
import numpy as np
def softmax(x, axis=-1):
    out = np.zeros_like(x)
    np.exp(x - x.max(axis=axis, keepdims=True), out=out)
    return out / out.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "softmax",
        "loop rows",
        "softmax-over-everything",
        """
import numpy as np
def softmax(x, axis=-1):
    res = np.zeros(x.shape)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - np.max(x[i]))
        res[i] = e / np.sum(e)
    return res
""",
    ),
    (
        "softmax",
        "loop rows 2d only",
        "softmax-matrices-only",
        """
import numpy as np
def softmax(x, axis=-1):
    n, m = x.shape
    res = np.zeros((n, m))
    for i in range(n):
        e = np.exp(x[i] - np.max(x[i]))
        res[i] = e / np.sum(e)
    return res
""",
    ),
    (
        "softmax",
        "returns None",
        "",
        """
def softmax(x, axis=-1):
    pass
""",
    ),
    (
        "softmax",
        "eps 1e-2 in the denominators",
        "softmax-constant-in-divisor",
        """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True)); return e / (e.sum(axis=axis, keepdims=True) + 1e-2)
""",
    ),
    (
        "scaled_dot_product_attention",
        "noscale+after",
        "sdpa-no-scale + sdpa-mask-after-softmax",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    w = softmax(Q @ K.swapaxes(-1, -2))
    if mask is not None: w = w * mask
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "d_k from K.shape[0]",
        "sdpa-scale-by-length",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    w = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[0])
    if mask is not None: w = np.where(mask, w, -1e9)
    w = softmax(w)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "template with np.dot and mask",
        "sdpa-keyt-reverses-all-axes",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T) / np.sqrt(d_k)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return np.dot(w, V), w
""",
    ),
    (
        "scaled_dot_product_attention",
        "fill -50 and inverted",
        "sdpa-mask-polarity-inverted + sdpa-fill-not-low-enough",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores[mask] = -50
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "divides by 8",
        "sdpa-scale-constant",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores / 8.0)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "query axis + noscale",
        "sdpa-no-scale + sdpa-softmax-over-query-axis",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores, axis=-2)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "weights rounded",
        "sdpa-rounds",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = np.round(softmax(scores), 3)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "adds the mean of V",
        "",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return w @ V + V.mean(axis=-2, keepdims=True), w
""",
    ),
    (
        "scaled_dot_product_attention",
        "mask zero where",
        "sdpa-fill-zero",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, 0)
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "divides Q by d_k in place",
        "sdpa-scale-by-dk + sdpa-scales-query-in-place",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q /= Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2)
    if mask is not None: scores = np.where(mask, scores, -1e9)
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "no max shift + fill",
        "sdpa-softmax-no-max-shift",
        """
import numpy as np
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = np.where(mask, scores, -np.inf)
    w = np.exp(scores); w = w / w.sum(-1, keepdims=True)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "mask added -1e9 inverted",
        "sdpa-mask-polarity-inverted",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = scores + mask * -1e9
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "adds 1e-9 where blocked",
        "sdpa-fill-tiny-positive",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None: scores = scores + (1 - mask) * 1e-9
    w = softmax(scores)
    return w @ V, w
""",
    ),
    (
        "causal_mask",
        "triu",
        "causal-mask-transposed + causal-mask-not-boolean",
        """
import numpy as np
def causal_mask(n):
    return np.triu(np.ones((n, n)))
""",
    ),
    (
        "causal_mask",
        "triu k1 float",
        "causal-mask-inverted + causal-mask-not-boolean",
        """
import numpy as np
def causal_mask(n):
    return np.triu(np.ones((n, n)), k=1)
""",
    ),
    (
        "causal_mask",
        "-1e9 triu",
        "causal-mask-excludes-diagonal + causal-mask-additive-float",
        """
import numpy as np
def causal_mask(n):
    return np.triu(np.full((n, n), -1e9), k=0)
""",
    ),
    (
        "padding_mask",
        "<= instead of <",
        "padding-mask-off-by-one",
        """
import numpy as np
def padding_mask(lengths, max_len):
    return np.arange(max_len)[None] <= np.asarray(lengths)[:, None]
""",
    ),
    (
        "padding_mask",
        "ones - and negative slices",
        "padding-mask-full-row-blank",
        """
import numpy as np
def padding_mask(lengths, max_len):
    m = np.ones((len(lengths), max_len), dtype=bool)
    for i, l in enumerate(lengths):
        m[i, -(max_len - l):] = False
    return m
""",
    ),
    (
        "padding_mask",
        "int inverted",
        "padding-mask-inverted + padding-mask-not-boolean",
        """
import numpy as np
def padding_mask(lengths, max_len):
    return (np.arange(max_len)[None] >= np.asarray(lengths)[:, None]).astype(int)
""",
    ),
    (
        "attention_masks",
        "both inverted",
        "mask-builder-inverted",
        """
import numpy as np
def make_src_mask(ids, pad_id):
    return (ids == pad_id)[:, None, None, :]
def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    return (ids == pad_id)[:, None, None, :] | np.triu(np.ones((n, n), bool), 1)
""",
    ),
    (
        "attention_masks",
        "padding on query rows, target not causal",
        "mask-builder-masks-query-rows + tgt-mask-not-causal",
        """
import numpy as np
def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, :, None]
def make_tgt_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]
""",
    ),
    (
        "attention_masks",
        "no axis for the heads",
        "mask-builder-wrong-axes",
        """
import numpy as np
def make_src_mask(ids, pad_id):
    return ids != pad_id
def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    return (ids != pad_id)[:, None, :] & np.tril(np.ones((n, n), bool))
""",
    ),
    (
        "attention_masks",
        "triu(k=1) as if it allowed",
        "tgt-mask-triangle-inverted",
        """
import numpy as np
def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]
def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    return make_src_mask(ids, pad_id) & np.triu(np.ones((n, n), bool), 1)
""",
    ),
    (
        "positional_encoding",
        "base 5000 wrong, odd crash",
        "pe-wrong-base + pe-odd-dmodel-crash",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    a = pos / 5000 ** (np.arange(0, d_model, 2) / d_model)
    pe = np.zeros((max_len, d_model)); pe[:, 0::2] = np.sin(a); pe[:, 1::2] = np.cos(a)
    return pe
""",
    ),
    (
        "positional_encoding",
        "log10",
        "pe-wrong-base",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    a = pos * np.exp(-np.arange(0, d_model, 2) * np.log10(10000) / d_model)
    pe = np.zeros((max_len, d_model)); pe[:, 0::2] = np.sin(a); pe[:, 1::2] = np.cos(a[:, : d_model // 2])
    return pe
""",
    ),
    (
        "positional_encoding",
        "exp sign",
        "pe-angle-multiplied",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    a = pos * np.exp(np.arange(0, d_model, 2) * np.log(10000) / d_model)
    pe = np.zeros((max_len, d_model)); pe[:, 0::2] = np.sin(a); pe[:, 1::2] = np.cos(a[:, : d_model // 2])
    return pe
""",
    ),
    (
        "positional_encoding",
        "doubled even crash odd",
        "pe-loop-index-doubled + pe-odd-dmodel-crash",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model))
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            pe[pos, i] = np.sin(pos / 10000 ** (2 * i / d_model))
            pe[pos, i + 1] = np.cos(pos / 10000 ** (2 * (i + 1) / d_model))
    return pe
""",
    ),
    (
        "positional_encoding",
        "index crash on odd",
        "pe-odd-dmodel-crash",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model))
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            pe[pos, i] = np.sin(pos / 10000 ** (i / d_model))
            pe[pos, i + 1] = np.cos(pos / 10000 ** (i / d_model))
    return pe
""",
    ),
    (
        "positional_encoding",
        "halves + odd crash",
        "pe-halves-not-interleaved + pe-odd-dmodel-too-wide",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    a = pos / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate([np.sin(a), np.cos(a)], axis=-1)
""",
    ),
    (
        "positional_encoding",
        "halves odd wide",
        "pe-halves-not-interleaved + pe-odd-dmodel-cut",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    i = np.arange(d_model // 2)
    a = pos / 10000 ** (2 * i / d_model)
    return np.concatenate([np.sin(a), np.cos(a)], axis=-1)
""",
    ),
    (
        "positional_encoding",
        "int table",
        "pe-integer-table",
        """
import numpy as np
def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, None]
    a = pos / 10000 ** (np.arange(0, d_model, 2) / d_model)
    pe = np.zeros((max_len, d_model), dtype=int); pe[:, 0::2] = np.sin(a); pe[:, 1::2] = np.cos(a[:, : d_model // 2])
    return pe
""",
    ),
    (
        "token_embedding",
        "a constant factor",
        "embedding-scale-constant",
        """
import numpy as np
def token_embedding(ids, table):
    return table[ids] * 512 ** 0.5
""",
    ),
    (
        "feed_forward",
        "gelu",
        "ffn-wrong-activation",
        """
import numpy as np
def feed_forward(x, W1, b1, W2, b2):
    h = x @ W1 + b1
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))
    return h @ W2 + b2
""",
    ),
    (
        "layer_norm",
        "std + eps ddof1",
        "ln-unbiased-variance",
        """
import numpy as np
def layer_norm(x, g, b, eps=1e-5):
    m = x.mean(-1, keepdims=True); s = x.std(-1, keepdims=True, ddof=1)
    return g * (x - m) / (s + eps) + b
""",
    ),
    (
        "layer_norm",
        "eps 1e-8 hard",
        "ln-eps-hardcoded",
        """
import numpy as np
def layer_norm(x, g, b, eps=1e-5):
    m = x.mean(-1, keepdims=True); v = x.var(-1, keepdims=True)
    return g * (x - m) / np.sqrt(v + 1e-8) + b
""",
    ),
    (
        "layer_norm",
        "default eps 1e-6",
        "ln-eps-default",
        """
import numpy as np
def layer_norm(x, g, b, eps=1e-6):
    m = x.mean(-1, keepdims=True); v = x.var(-1, keepdims=True)
    return g * (x - m) / np.sqrt(v + eps) + b
""",
    ),
    (
        "layer_norm",
        "axis 0 no affine",
        "ln-batch-statistics + ln-missing-affine",
        """
import numpy as np
def layer_norm(x, g, b, eps=1e-5):
    m = x.mean(0); v = x.var(0)
    return (x - m) / np.sqrt(v + eps)
""",
    ),
    (
        "multi_head_attention",
        "merge reshape and d_model scale",
        "mha-merge-without-transpose + mha-scale-by-d-model",
        SOFTMAX
        + """
def multi_head_attention(q, k, v, Wq, Wk, Wv, Wo, h, mask=None):
    *b, n, d = q.shape; m = k.shape[-2]; dk = d // h
    assert d % h == 0
    Q = (q @ Wq).reshape(*b, n, h, dk).swapaxes(-2, -3)
    K = (k @ Wk).reshape(*b, m, h, dk).swapaxes(-2, -3)
    V = (v @ Wv).reshape(*b, m, h, dk).swapaxes(-2, -3)
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(d)
    if mask is not None:
        if mask.ndim == 3: mask = mask[:, None]
        s = np.where(mask, s, -1e9)
    return (softmax(s) @ V).reshape(*b, n, d) @ Wo
""",
    ),
    (
        "multi_head_attention",
        "3d only",
        "mha-fixed-number-of-axes",
        SOFTMAX
        + """
def multi_head_attention(q, k, v, Wq, Wk, Wv, Wo, h, mask=None):
    b, n, d = q.shape; m = k.shape[1]; dk = d // h
    assert d % h == 0
    Q = (q @ Wq).reshape(b, n, h, dk).transpose(0,2,1,3)
    K = (k @ Wk).reshape(b, m, h, dk).transpose(0,2,1,3)
    V = (v @ Wv).reshape(b, m, h, dk).transpose(0,2,1,3)
    s = Q @ K.transpose(0,1,3,2) / np.sqrt(dk)
    if mask is not None:
        if mask.ndim == 3: mask = mask[:, None]
        s = np.where(mask, s, -1e9)
    return (softmax(s) @ V).transpose(0,2,1,3).reshape(b, n, d) @ Wo
""",
    ),
)
