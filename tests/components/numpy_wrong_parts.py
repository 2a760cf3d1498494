"""Masks, positions, layers and heads as students get them wrong, each with its slip."""

from __future__ import annotations

from numpy_samples import SOFTMAX

# (component, what is wrong, ids named: none where honesty is to say nothing, code)
PARTS: tuple[tuple[str, str, str, str], ...] = (
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
