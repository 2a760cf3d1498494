"""Slips of kinds that nobody had listed, each beside a right neighbour of the same form: (component, name, code)."""

from __future__ import annotations

_EXP = "    e = np.exp(x - x.max(axis=axis, keepdims=True))\n"
_ATTEND = """
def scaled_dot_product_attention(Q, K, V, mask=None):
    s = {scores}
    if mask is not None:
        {mask}
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return {returned}
"""
_SDPA, _PLAIN = "scaled_dot_product_attention", "Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])"
_FILLED, _BOTH = "s = np.where(mask, s, -1e9)", "w @ V, w"


def _attend(scores: str = _PLAIN, mask: str = _FILLED, returned: str = _BOTH) -> str:
    return _ATTEND.format(scores=scores, mask=mask, returned=returned)


_NORM = "def layer_norm(x, gain, shift, eps=1e-5):\n"
_FFN = "def feed_forward(x, W_1, b_1, W_2, b_2):\n"
_SOFTMAX = "def softmax(x, axis=-1):\n"
_PE = """
def positional_encoding(max_len, d_model):
    f = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    a = {angles}
    t = np.zeros((max_len, d_model))
    t[:, 0::2], t[:, 1::2] = np.sin(a), np.cos(a[:, :d_model // 2])
    return t
"""
_MHA = """
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = query.shape[-1]
    if d % num_heads:
        raise ValueError("num_heads must divide d_model")
    cuts = [slice(i * d // num_heads, (i + 1) * d // num_heads) for i in range(num_heads)]
    def split(x, w):
        y = {project}
        return y.reshape(*y.shape[:-1], num_heads, -1).swapaxes(-2, -3)
    q, k, v = split(query, W_q), split(key, W_k), split(value, W_v)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask[:, None] if mask.ndim == 3 else mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return ({weights} @ v).swapaxes(-2, -3).reshape(query.shape) @ W_o
"""
_PAD = "def padding_mask(lengths, max_len):\n"

WRONG: tuple[tuple[str, str, str], ...] = (
    (
        "softmax",
        "softmax-total-of-other-rows",
        """
def softmax(x, axis=-1):
    y = np.moveaxis(np.array(x, dtype=float), axis, -1)
    flat, total = y.reshape(-1, y.shape[-1]), 0.0
    for row in flat:
        row[:] = np.exp(row - row.max())
        total += row.sum()
        row /= total
    return np.moveaxis(flat.reshape(y.shape), -1, axis)
""",
    ),
    ("softmax", "answer-in-whole-numbers", _SOFTMAX + "    e = np.zeros_like(x)\n"
     "    e[...] = np.exp(x - x.max(axis, keepdims=True))\n    return e / e.sum(axis, keepdims=True)\n"),
    ("softmax", "softmax-integer-output", _SOFTMAX + "    e = np.exp(x - x.max(axis, keepdims=True))\n"
     "    return (e / e.sum(axis, keepdims=True)).astype(x.dtype)\n"),
    (_SDPA, "sdpa-integer-output", _attend(returned="(w @ V).astype(V.dtype), w.astype(Q.dtype)")),
    ("layer_norm", "answer-in-whole-numbers", _NORM + "    out = np.empty_like(x)\n"
     "    out[...] = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)\n"
     "    return out * gain + shift\n"),
    ("feed_forward", "ffn-integer-output", _FFN + "    out = np.zeros_like(x)\n"
     "    out[...] = np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2\n    return out\n"),
    ("softmax", "softmax-shift-after-exp", _SOFTMAX + "    e = np.exp(x)\n    e = e - e.max(axis=axis, keepdims=True)\n"
     "    return e / e.sum(axis=axis, keepdims=True)\n"),
    ("softmax", "softmax-sum-put-back-at-the-end", _SOFTMAX + "    e = np.exp(x - x.max(axis)[..., None])\n"
     "    return e / e.sum(axis)[..., None]\n"),
    ("softmax", "softmax-axis-not-moved-back", _SOFTMAX + "    x = np.swapaxes(x, axis, -1)\n"
     "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"),
    *(("softmax", "softmax-axis-not-moved-back", _SOFTMAX + f"    x = np.moveaxis(x, axis, {to})\n"
     f"    e = np.exp(x - x.max({over}, keepdims=True))\n"
     f"    return np.moveaxis(e / e.sum({over}, keepdims=True), {back})\n")
    for to, over, back in ((0, 0, "0, 0"), (0, 0, "axis, 0"), (-1, -1, "axis, -1"))),
    ("softmax", "softmax-no-max-shift", _SOFTMAX + "    e = np.exp(x)\n"
     "    return np.nan_to_num(e / e.sum(axis=axis, keepdims=True))\n"),
    ("softmax", "answer-never-the-same", _SOFTMAX + _EXP + "    p = e / e.sum(axis=axis, keepdims=True)\n"
     "    return p + 0.5 * np.random.default_rng().random() * p\n"),
    (_SDPA, "sdpa-scores-cut", _attend("Q @ K.swapaxes(-1, -2) // np.sqrt(Q.shape[-1])")),
    (_SDPA, "sdpa-scores-divided-by-their-own-size",
     _attend("(lambda t: t / t.std())(Q @ K.swapaxes(-1, -2))")),
    (_SDPA, "sdpa-mask-axis-inserted",
     _attend(mask="s = np.where(mask[:, None, :] if mask.ndim == 2 else mask, s, -np.inf)")),
    (_SDPA, "sdpa-first-sample-for-all",
     _attend(returned="w @ np.broadcast_to(V[(0,) * (V.ndim - 2)], V.shape), w")),
    (_SDPA, "sdpa-fill-tiny-positive",
     _attend(mask="s = np.where(mask, s, np.finfo(np.float64).tiny)")),
    (_SDPA, "answer-scaled", _attend(returned="3 * (w @ V), w")),
    (_SDPA, "answer-reversed", _attend(returned="(w @ V)[..., ::-1], w")),
    (_SDPA, "answer-incomplete", _attend(returned="(w @ V)[..., :-1, :], w")),
    (_SDPA, "sdpa-renormalised-over-everything", _attend(mask="pass").replace(
        "    return", "    if mask is not None:\n        w = w * mask\n        w = w / w.sum()\n    return")),
    ("layer_norm", "ln-affine-misplaced", _NORM + "    c = x - x.mean(-1, keepdims=True)\n"
     "    return gain * c / np.sqrt(x.var(-1, keepdims=True) + eps) * shift\n"),
    (_SDPA, "sdpa-uniform-weights", _attend("0 * (Q @ K.swapaxes(-1, -2))")),
    (_SDPA, "sdpa-fill-positive", _attend(mask="s = np.where(mask, s, np.inf)")),
    (_SDPA, "sdpa-mask-inf-times-zero", _attend(mask="s = s + (1 - mask) * -np.inf")),
    *(
        (_SDPA, slip, "def softmax(x, axis):\n    top = x.max(axis, keepdims=True)\n"
         "    return np.exp(x - (top + np.log(np.exp(x - top).sum(axis, keepdims=True))))\n"
         + _attend(mask="s = np.where(mask, s, np.finfo(s.dtype).min)").replace(
             "e = np.exp(s - s.max(axis=-1, keepdims=True))", f"w = softmax(s, {axis})").replace(
             "    w = e / e.sum(axis=-1, keepdims=True)\n", ""))
        for axis, slip in ((-2, "sdpa-softmax-over-query-axis"), (0, "sdpa-softmax-over-batch-axis"))
    ),
    (_SDPA, "answer-of-the-first-call", "_kept = {}\n" + _attend(returned="_kept.setdefault('first', (w @ V, w))")),
    ("softmax", "answer-of-the-first-call", _SOFTMAX.replace("-1)", "-1, kept=[])") + _EXP
     + "    kept.append(e / e.sum(axis=axis, keepdims=True))\n    return kept[0]\n"),
    (_SDPA, "answer-of-an-earlier-call", "_kept = {}\n" + _attend(
        returned="_kept.setdefault((Q.shape, K.shape, V.shape, mask is None), w @ V), w")),
    ("layer_norm", "ln-gain-before-norm", _NORM + "    y = x * gain\n"
     "    return (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + eps) + shift\n"),
    ("layer_norm", "ln-variance-over-another-axis", _NORM + "    c = x - x.mean(-1, keepdims=True)\n"
     "    return c / np.sqrt((c * c).mean(-2, keepdims=True) + eps) * gain + shift\n"),
    ("layer_norm", "ln-scaled-by-range", _NORM + "    low = x.min(-1, keepdims=True)\n"
     "    return gain * (x - low) / (x.max(-1, keepdims=True) - low + eps) + shift\n"),
    ("layer_norm", "argument-changed-in-place", _NORM + "    x = x if x.dtype.kind == 'f' else x.astype(float)\n"
     "    x -= x.mean(-1, keepdims=True)\n"
     "    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain + shift\n"),
    ("layer_norm", "answer-negated", _NORM + "    c = x.mean(-1, keepdims=True) - x\n"
     "    return c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) * gain - shift\n"),
    ("layer_norm", "answer-raised", _NORM + "    c = x - x.mean(-1, keepdims=True)\n"
     "    return c / np.sqrt((c * c).mean(-1, keepdims=True) + eps) * gain + shift + 2\n"),
    ("feed_forward", "ffn-bias-added-twice", _FFN + "    h = np.maximum(x @ W_1 + b_1, 0) + b_1\n"
     "    return h @ W_2 + b_2\n"),
    ("feed_forward", "answer-scaled", _FFN + "    return 2 * (np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2)\n"),
    ("positional_encoding", "pe-grid-reshaped",
     _PE.format(angles="np.outer(f, np.arange(max_len)).reshape(max_len, len(f))")),
    ("positional_encoding", "answer-imprecise",
     _PE.format(angles="np.arange(max_len, dtype=np.float16)[:, None] * f.astype(np.float16)")),
    ("padding_mask", "padding-mask-off-by-one", _PAD + "    grid = np.zeros((len(lengths), max_len), dtype=bool)\n"
     "    for row, length in zip(grid, lengths):\n        row[:length - 1] = True\n    return grid\n"),
    ("padding_mask", "padding-mask-off-by-one", _PAD + "    rows = [[True] * (n + 1) + [False] * (max_len - n - 1)"
     " for n in map(int, lengths)]\n    return np.array(rows, dtype=bool).reshape(len(rows), max_len)\n"),
    ("padding_mask", "padding-mask-positions-mixed-up", _PAD
     + "    p = np.tile(np.arange(max_len), len(lengths)).reshape(max_len, len(lengths)).T\n"
     "    return p < np.asarray(lengths)[:, None]\n"),
    ("padding_mask", "argument-changed-first", _PAD
     + "    return np.arange(max_len) < np.sort(np.asarray(lengths))[::-1].reshape(-1, 1)\n"),
    ("multi_head_attention", "mha-indivisible-heads-silent", """
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    out = []
    for i, (q, k, v) in enumerate(zip(*(np.array_split(x @ w, num_heads, axis=-1)
                                        for x, w in ((query, W_q), (key, W_k), (value, W_v))))):
        s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if mask is not None:
            s = np.where(mask[:, i % mask.shape[1]] if mask.ndim == 4 else mask, s, -1e9)
        e = np.exp(s - s.max(-1, keepdims=True))
        out.append(e / e.sum(-1, keepdims=True) @ v)
    return np.concatenate(out, axis=-1) @ W_o
"""),
    ("multi_head_attention", "mha-weights-averaged", _MHA.format(
        project="x @ w", weights="w.mean(axis=-3, keepdims=True)")),
    ("multi_head_attention", "mha-projects-pieces", _MHA.format(
        project="np.concatenate([x[..., c] @ w[c, c] for c in cuts], -1)", weights="w")),
    *(
        ("token_embedding", "embedding-normalised",
         f"def token_embedding(ids, table):\n    rows = table[ids]\n    return {unit} * np.sqrt(table.shape[1])\n")
        for unit in ("(rows / np.linalg.norm(rows, axis=-1, keepdims=True))",
                     "(rows - rows.mean(-1, keepdims=True)) / rows.std(-1, keepdims=True)")
    ),
    ("feed_forward", "ffn-wrong-activation", _FFN + "    return np.abs(x @ W_1 + b_1) @ W_2 + b_2\n"),
    ("feed_forward", "ffn-wrong-activation", _FFN + "    h = x @ W_1 + b_1\n"
     "    return np.where(h > 0, h, 0.2 * h) @ W_2 + b_2\n"),
    ("feed_forward", "ffn-relu-inverted", _FFN + "    return np.minimum(x @ W_1 + b_1, 0) @ W_2 + b_2\n"),
    (_SDPA, "sdpa-best-value-only",
     _attend(returned="np.take_along_axis(V, w.argmax(-1)[..., None], -2), w")),
    (_SDPA, "sdpa-scale-by-entries", _attend("Q @ K.swapaxes(-1, -2) / np.sqrt(Q.size)")),
    (_SDPA, "sdpa-returns-unmasked-weights", _attend(
        mask="pass", returned="(lambda b: (b / b.sum(-1, keepdims=True)) @ V)(w if mask is None else w * mask), w")),
)  # fmt: skip

RIGHT: tuple[tuple[str, str], ...] = (
    (
        "softmax",
        """
def softmax(x, axis=-1):
    y = np.moveaxis(np.array(x, dtype=float), axis, -1)
    flat = y.reshape(-1, y.shape[-1])
    for row in flat:
        top, total = -np.inf, 0.0
        for score in row:
            if score > top:
                total, top = total * np.exp(top - score), score
            total += np.exp(score - top)
        row[:] = np.exp(row - top) / total
    return np.moveaxis(flat.reshape(y.shape), -1, axis)
""",
    ),
    ("softmax", _SOFTMAX + "    x = np.swapaxes(np.asarray(x), axis, -1)\n"
     "    e = np.exp(x - x.max(-1)[..., None])\n    return np.swapaxes(e / e.sum(-1)[..., None], axis, -1)\n"),
    (_SDPA, _attend(mask="s = np.where(mask, s, np.finfo(s.dtype).min)")),
    (_SDPA, _attend("np.floor_divide(Q.shape[-1], 1) ** -0.5 * (Q @ K.swapaxes(-1, -2))")),
    ("layer_norm", _NORM + "    c = x - np.sum(x, axis=-1, keepdims=True) / x.shape[-1]\n"
     "    c = c / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + eps)\n    c *= gain\n    return c + shift\n"),
    ("positional_encoding", _PE.format(angles="np.outer(f, np.arange(max_len)).T.reshape(max_len, len(f))")),
    ("multi_head_attention", _MHA.format(project="x @ w", weights="w")),
    ("padding_mask", _PAD + "    p = np.tile(np.arange(max_len), len(lengths)).reshape(len(lengths), max_len)\n"
     "    return p < np.asarray(lengths)[:, None]\n"),
)  # fmt: skip
