"""Slips written before the list of slips was looked at: what a grader meets from people it has not seen."""

from __future__ import annotations

SOFTMAX = """
def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""

WRONG: tuple[tuple[str, str, str], ...] = (
    (
        "softmax",
        "softmax-shift-not-by-the-largest",
        """
def softmax(x, axis=-1):
    shifted = x - x.min(axis=axis, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "softmax",
        "softmax-constant-in-divisor",
        """
def softmax(x, axis=-1):
    z = np.exp(x - x.max(axis, keepdims=True))
    return z / (z.sum(axis, keepdims=True) + 1e-3)
""",
    ),
    (
        "softmax",
        "softmax-is-a-sigmoid",
        """
def softmax(x, axis=-1):
    return 1 / (1 + np.exp(-x))
""",
    ),
    (
        "softmax",
        "softmax-default-axis",
        """
def softmax(x, axis=0):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "softmax",
        "softmax-over-everything",
        """
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum()
""",
    ),
    (
        "softmax",
        "softmax-is-a-maximum",
        """
def softmax(x, axis=-1):
    m = x.max(axis=axis, keepdims=True)
    hit = (x == m).astype(float)
    return hit / hit.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-scale-precedence",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2) / d_k ** 1 / 2
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-mask-added",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + mask
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-output-from-scores",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    w = _softmax(scores)
    return scores @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-always-causal",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    n, m = scores.shape[-2:]
    look = np.tril(np.ones((n, m), dtype=bool))
    if mask is not None:
        look = look & mask
    w = _softmax(np.where(look, scores, -1e9))
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-mask-changed-in-place",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        np.logical_not(mask, out=mask)
        scores = np.where(mask, -np.inf, scores)
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-fill-lowest-score",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, scores.min())
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-scores-bent",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.abs(Q @ K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        "sdpa-first-query-mask-for-all",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask[..., 0:1, :], scores, -np.inf)
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "causal_mask",
        "causal-mask-short-window",
        """
def causal_mask(n):
    i, j = np.indices((n, n))
    return (j <= i) & (i - j < 3)
""",
    ),
    (
        "positional_encoding",
        "pe-exponent-wrong-width",
        """
def positional_encoding(max_len, d_model):
    half = (d_model + 1) // 2
    pos = np.arange(max_len)[:, None]
    rate = np.exp(-np.log(10000.0) * np.arange(half) / max(half - 1, 1))
    ang = pos * rate
    out = np.zeros((max_len, d_model))
    out[:, 0::2] = np.sin(ang)
    out[:, 1::2] = np.cos(ang[:, : d_model // 2])
    return out
""",
    ),
    (
        "token_embedding",
        "embedding-table-transposed",
        """
def token_embedding(ids, table):
    return np.take(table, ids, axis=1) * np.sqrt(table.shape[-1])
""",
    ),
    (
        "layer_norm",
        "ln-variance-about-zero",
        """
def layer_norm(x, gain, shift, eps=1e-5):
    ms = (x ** 2).mean(-1, keepdims=True)
    return gain * (x - x.mean(-1, keepdims=True)) / np.sqrt(ms + eps) + shift
""",
    ),
)
