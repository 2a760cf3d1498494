"""More slips as students write them: what is returned rounded, filled too early, asked of a whole array, cut by the
wrong length, joined by an if."""

from __future__ import annotations

SOFTMAX = """
def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True)); return e / e.sum(axis=-1, keepdims=True)
"""
_ATTENTION = (
    SOFTMAX
    + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    s = Q @ K.swapaxes(-1, -2)
    if mask is not None:
        s = {mask}
    w = _softmax(s / np.sqrt(Q.shape[-1]))
    return {returned}
"""
)
_HEADS = (
    SOFTMAX
    + """
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    *lead, n, d = query.shape
    if d % num_heads:
        raise ValueError(num_heads)
    def split(x, w):
        return (x @ w).reshape(*lead, {n}, num_heads, d // num_heads).swapaxes(-3, -2)
    q, k, v = split(query, W_q), split(key, W_k), split(value, W_v)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // num_heads)
    if mask is not None:
        s = np.where(mask[:, None] if mask.ndim == 3 else mask, s, -1e9)
    return (_softmax(s) @ v).swapaxes(-3, -2).reshape(*lead, n, d) @ W_o
"""
)
_SDPA = "scaled_dot_product_attention"
_FILLED = "np.where(mask, s, -1e9)"

WRONG: tuple[tuple[str, str, str], ...] = (
    *(
        (_SDPA, "sdpa-rounds", _ATTENTION.format(mask=_FILLED, returned=returned))
        for returned in ("w @ V, np.round(w, 2)", "np.round(w @ V, 2), w", "(w @ V).round(3), w.round(3)")
    ),
    *(
        (_SDPA, "sdpa-fill-not-low-enough", _ATTENTION.format(mask=mask, returned="w @ V, w"))
        for mask in ("np.where(mask, s, -20.0)", "np.where(mask, s, -100)", "s + (1 - mask) * -50.0")
    ),
    *(
        (
            "feed_forward",
            "ffn-activation-of-the-whole-array",
            f"def feed_forward(x, W1, b1, W2, b2):\n    return {relu}(0, x @ W1 + b1) @ W2 + b2\n",
        )
        for relu in ("np.max", "max", "np.amax")
    ),
    ("multi_head_attention", "mha-length-of-query-for-all", _HEADS.format(n="n")),
    (
        "softmax",
        "softmax-shift-not-by-the-largest",
        """
def softmax(x, axis=-1):
    e = np.exp(x - x.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
)

RIGHT: tuple[tuple[str, str], ...] = (
    (_SDPA, _ATTENTION.format(mask="np.where(mask, s, -1e9)", returned="w @ V, w")),
    (_SDPA, _ATTENTION.format(mask="s + (1 - mask) * -1e9", returned="w @ V, w")),
    ("multi_head_attention", _HEADS.format(n="-1")),
    ("multi_head_attention", _HEADS.format(n="x.shape[-2]")),
)
