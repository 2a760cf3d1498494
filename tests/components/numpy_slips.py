"""More slips as students write them: what is returned rounded, filled too early, asked of a whole array, cut by the
wrong length, joined by an if."""

from __future__ import annotations

SOFTMAX = """
def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True)); return e / e.sum(axis=axis, keepdims=True)
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
_PLAIN = (
    SOFTMAX
    + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    s = {scores} / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -1e9)
    w = _softmax(s)
    return {output}, w
"""
)
_TABLE = """
def positional_encoding(max_len, d_model):
    at, k = np.arange(max_len)[:, None], np.arange(0, d_model, 2)
    pe = np.zeros((max_len, d_model))
    pe[:, 0::2] = np.sin({angle})
    pe[:, 1::2] = np.cos({angle})[:, : d_model // 2]
    return pe
"""
_OWN = "mask[:, None] if mask.ndim == 3 else mask"
_FIRST = "mask[0] if mask.ndim == 3 else mask[0, 0] if mask.ndim == 4 else mask"
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
    *(
        (_SDPA, named, _PLAIN.format(scores=scores, output=output))
        for named, scores, output in (
            ("sdpa-values-used-as-keys", "Q @ V.swapaxes(-1, -2)", "w @ V"),
            ("sdpa-adds-residual", "Q @ K.swapaxes(-1, -2)", "w @ V + Q"),
            ("sdpa-adds-residual", "Q @ K.swapaxes(-1, -2)", "V + w @ V"),
            ("sdpa-last-key-only", "Q @ K.swapaxes(-1, -2)", "w[..., -1:] * V[..., -1:, :]"),
            ("sdpa-integer-output", "Q @ K.swapaxes(-1, -2)", "(w @ V).astype(V.dtype)"),
        )
    ),
    (
        _SDPA,
        "sdpa-never-itself",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    look = ~np.eye(Q.shape[-2], K.shape[-2], dtype=bool)
    look = look if mask is None else look & mask
    w = _softmax(np.where(look, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9))
    return w @ V, w
""",
    ),
    *(
        ("softmax", named, f"{SOFTMAX}\ndef softmax(x, axis=-1):\n    return {result}\n")
        for named, result in (
            ("softmax-turned", "_softmax(np.atleast_2d(x), axis).T"),
            ("softmax-sign-flipped", "_softmax(-np.asarray(x, float), axis)"),
            ("softmax-sign-flipped", "np.exp(-np.asarray(x)) / np.exp(-np.asarray(x)).sum(axis, keepdims=True)"),
            ("softmax-vector-becomes-matrix", "_softmax(np.atleast_2d(x), axis)"),
            ("softmax-scores-bent", "_softmax(np.abs(x), axis)"),
        )
    ),
    (
        "padding_mask",
        "padding-mask-at-least-one",
        "def padding_mask(lengths, max_len):\n    return np.arange(max_len) < np.maximum(lengths, 1)[:, None]\n",
    ),
    *(
        ("multi_head_attention", named, _HEADS.format(n="-1").replace("/ np.sqrt(d // num_heads)", scale))
        for named, scale in (
            ("sdpa-scale-inverted", "* np.sqrt(d // num_heads)"),
            ("sdpa-scale-times-constant", "/ (3 * np.sqrt(d // num_heads))"),
            ("sdpa-scale-constant", "/ 7"),
        )
    ),
    ("multi_head_attention", "mha-mask-not-per-sample", _HEADS.format(n="x.shape[-2]").replace(_OWN, _FIRST)),
    (
        "softmax",
        "softmax-shift-not-by-the-largest",
        """
def softmax(x, axis=-1):
    e = np.exp(x - x.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
""",
    ),
    *(
        ("softmax", named, f"def softmax(x, axis=-1):\n    {made}\n    return e / e.sum(axis=axis, keepdims=True)\n")
        for named, made in (
            ("softmax-no-exponential", "e = (x - x.max(axis=axis, keepdims=True)) ** 2"),
            ("softmax-no-exponential", "e = np.maximum(x, 0)"),
            ("softmax-divides-by-the-largest", "e = np.exp(x / np.amax(x, axis, keepdims=True))"),
            ("softmax-shift-over-wrong-axis", "e = np.exp(x - x.max(0))"),
        )
    ),
    *(
        (_SDPA, named, _PLAIN.format(scores=scores, output=output))
        for named, scores, output in (
            ("sdpa-scale-misplaced", "Q @ K.swapaxes(-1, -2)", "w @ V / np.sqrt(K.shape[-1])"),
            (
                "sdpa-one-key-left-out",
                "Q @ K.swapaxes(-1, -2)",
                "w[..., :-1] @ V[..., :-1, :]",
            ),
            ("sdpa-scores-are-distances", "-((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(-1) ** 0.5", "w @ V"),
            (
                "sdpa-values-used-as-keys",
                "np.einsum('...id,...jd->...ij', Q, V)",
                "np.einsum('...ij,...jd->...id', w, V)",
            ),
            (
                "sdpa-scores-transposed",
                "np.einsum('...id,...jd->...ji', Q, K)",
                "np.einsum('...ij,...jd->...id', w, V)",
            ),
        )
    ),
    *(
        (_SDPA, named, _ATTENTION.format(mask=mask, returned="w @ V, w"))
        for named, mask in (
            ("sdpa-fill-not-a-number", "np.where(mask, s, np.nan)"),
            ("sdpa-mask-inf-times-zero", "s + (1 - mask) * -np.inf"),
        )
    ),
    *(
        ("layer_norm", named, f"def layer_norm(x, g, b, eps=1e-5):\n    c = x - {mean}\n    return {result}\n")
        for named, mean, result in (
            (
                "ln-affine-misplaced",
                "x.mean(-1, keepdims=True)",
                "g + c / np.sqrt((c**2).mean(-1, keepdims=True) + eps) + b",
            ),
            (
                "ln-spread-wrong",
                "x.mean(-1, keepdims=True)",
                "g * c / np.sqrt(abs(c).mean(-1, keepdims=True) + eps) + b",
            ),
            ("ln-over-everything", "x.mean()", "g * c / np.sqrt(x.var(-1, keepdims=True) + eps) + b"),
        )
    ),
    *(
        ("multi_head_attention", "mha-weights-transposed", _HEADS.format(n="-1").replace(f", {w})", f", {w}.T)"))
        for w in ("W_q", "W_k", "W_v")
    ),
    *(
        ("positional_encoding", named, _TABLE.format(angle=angle))
        for named, angle in (
            ("pe-power-turned", "at * (k / d_model) ** 1e-4"),
            ("pe-precedence", "at * np.exp(k * (-np.log(10000.0) / d_model // 2))"),
        )
    ),
)

RIGHT: tuple[tuple[str, str], ...] = (
    (_SDPA, _ATTENTION.format(mask="np.where(mask, s, -1e9)", returned="w @ V, w")),
    (_SDPA, _ATTENTION.format(mask="s + (1 - mask) * -1e9", returned="w @ V, w")),
    ("multi_head_attention", _HEADS.format(n="-1")),
    ("multi_head_attention", _HEADS.format(n="x.shape[-2]")),
)
