"""Right styles written before the list of slips was looked at: what a grader meets from people it has not seen."""

from __future__ import annotations

from numpy_kinds import SOFTMAX

RIGHT: tuple[tuple[str, str], ...] = (
    (
        "softmax",
        """
import math
def softmax(x, axis=-1):
    a = np.moveaxis(np.asarray(x), axis, -1)
    out = np.empty(a.shape, dtype=a.dtype if a.dtype.kind == "f" else np.float64)
    for idx in np.ndindex(a.shape[:-1]):
        row = [float(v) for v in a[idx]]
        top = max(row)
        e = [math.exp(v - top) for v in row]
        total, c = 0.0, 0.0
        for v in e:
            y = v - c
            t = total + y
            c = (t - total) - y
            total = t
        out[idx] = [v / total for v in e]
    return np.moveaxis(out, -1, axis)
""",
    ),
    (
        "softmax",
        """
def softmax(x, axis=-1):
    return np.exp(x - np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis))
""",
    ),
    (
        "softmax",
        """
def softmax(x, axis=-1):
    y = np.array(x, dtype=np.result_type(x, np.float32) if np.asarray(x).dtype.kind == "f" else float, order="F")
    y -= y.max(axis=axis, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return y
""",
    ),
    (
        "softmax",
        """
def softmax(x, axis=-1):
    m = x.max(axis=axis, keepdims=True) + 3.0
    z = np.exp(x - m)
    z = z / z.max(axis=axis, keepdims=True)
    return z / z.sum(axis=axis, keepdims=True)
""",
    ),
    (
        "softmax",
        """
def softmax(x, axis=-1):
    with np.errstate(all="raise", under="ignore"):
        z = x - x.max(axis=axis, keepdims=True)
        e = np.exp(z)
        total = e.sum(axis=axis, keepdims=True)
        return e / np.where(total == 0, 1, total)
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is None:
        mask = True
    top = np.max(scores, axis=-1, keepdims=True, where=np.broadcast_to(mask, scores.shape), initial=-np.inf)
    e = np.where(mask, np.exp(np.minimum(scores - np.where(np.isfinite(top), top, 0), 0)), 0)
    w = e / np.maximum(e.sum(-1, keepdims=True), 1e-300 if e.dtype == np.float64 else 1e-30)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    with np.errstate(invalid="ignore"):
        scores = np.matmul(Q, np.moveaxis(K, -1, -2)) * Q.shape[-1] ** -0.5
        if mask is not None:
            scores = np.where(np.asarray(mask) == 0, -np.inf, scores)
        w = np.nan_to_num(_softmax(scores))
    return np.matmul(w, V), w
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        bias = np.zeros(np.shape(mask), dtype=scores.dtype)
        bias[np.logical_not(mask)] = np.finfo(scores.dtype).min / 2
        scores = scores + bias
    w = _softmax(scores)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    hide = False if mask is None else ~np.broadcast_to(mask, scores.shape)
    s = np.ma.array(scores, mask=hide)
    e = np.ma.exp(s - s.max(axis=-1, keepdims=True))
    w = (e / e.sum(axis=-1, keepdims=True)).filled(0)
    return w @ V, w
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q = Q.copy()
    if Q.dtype.kind != "f":
        Q = Q.astype(float)
    Q /= np.sqrt(Q.shape[-1])
    s = Q @ K.swapaxes(-1, -2)
    if mask is not None:
        mask = np.array(mask)
        mask ^= True
        s[np.broadcast_to(mask, s.shape)] = -1e30
    s -= s.max(-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(-1, keepdims=True)
    return s @ V, s
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(query, key, value, mask=None):
    kT = np.transpose(key, tuple(range(key.ndim - 2)) + (key.ndim - 1, key.ndim - 2))
    logits = (query @ kT) / np.sqrt(key.shape[-1])
    if mask is not None:
        logits = logits - (1 - np.asarray(mask, dtype=logits.dtype)) * 1e9
    logz = np.log(np.exp(logits - logits.max(-1, keepdims=True)).sum(-1, keepdims=True)) + logits.max(-1, keepdims=True)
    w = np.exp(logits - logz)
    return w @ value, w
""",
    ),
    (
        "scaled_dot_product_attention",
        SOFTMAX
        + """
def scaled_dot_product_attention(Q, K, V, mask=None):
    kind = np.result_type(Q, K, V)
    Q, K, V = (np.asarray(a, dtype=np.float64) for a in (Q, K, V))
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e12)
    w = _softmax(scores)
    out = w @ V
    if kind.kind == "f":
        return out.astype(kind), w.astype(kind)
    return out, w
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
def causal_mask(n):
    return np.subtract.outer(np.arange(n), np.arange(n)) >= 0
""",
    ),
    (
        "causal_mask",
        """
def causal_mask(n):
    m = np.zeros((n, n), dtype=np.bool_, order="F")
    m[np.tril_indices(n)] = True
    return m
""",
    ),
    (
        "causal_mask",
        """
def causal_mask(n):
    return ~np.isinf(np.triu(np.full((n, n), -np.inf), k=1))
""",
    ),
    (
        "padding_mask",
        """
def padding_mask(lengths, max_len):
    m = np.zeros((len(lengths), max_len), dtype=bool)
    for i, n in enumerate(lengths):
        m[i, :n] = True
    return m
""",
    ),
    (
        "attention_masks",
        """
def make_src_mask(ids, pad_id):
    return np.expand_dims(np.not_equal(ids, pad_id), (1, 2))

def make_tgt_mask(ids, pad_id):
    real = np.not_equal(ids, pad_id)
    n = real.shape[1]
    return make_src_mask(ids, pad_id) & ~np.triu(np.ones((1, 1, n, n), dtype=bool), 1) & real[:, None, :, None]
""",
    ),
    (
        "positional_encoding",
        """
def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model), dtype=np.float32)
    pos = np.arange(max_len, dtype=np.float32)[:, None]
    div = np.exp(np.arange(0, d_model, 2, dtype=np.float32) * (-np.log(10000.0) / d_model)).astype(np.float32)
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)[:, : d_model // 2]
    return pe
""",
    ),
    (
        "token_embedding",
        """
def token_embedding(ids, table):
    hot = np.asarray(ids)[..., None] == np.arange(len(table))
    return np.einsum("...v,vd->...d", hot.astype(table.dtype), table) * table.shape[1] ** 0.5
""",
    ),
    (
        "feed_forward",
        """
def feed_forward(x, W1, b1, W2, b2):
    h = np.einsum("...d,df->...f", x, W1) + b1
    h = h * (h > 0)
    return np.add(np.einsum("...f,fd->...d", h, W2), b2)
""",
    ),
    (
        "feed_forward",
        """
def feed_forward(x, W1, b1, W2, b2):
    h = np.dot(x, W1) + b1
    return np.dot((h + np.abs(h)) / 2, W2) + b2
""",
    ),
    (
        "layer_norm",
        """
def layer_norm(x, gain, shift, eps=1e-5):
    x64 = np.asarray(x, dtype=np.float64)
    d = x64.shape[-1]
    c = x64 - x64.sum(-1, keepdims=True) / d
    inv = (np.einsum("...d,...d->...", c, c) / d + eps) ** -0.5
    return (c * inv[..., None]) * gain + shift
""",
    ),
    (
        "layer_norm",
        """
def layer_norm(x, gain, shift, eps=1e-5):
    x = np.asarray(x)
    flat = x.reshape(-1, x.shape[-1]).astype(float)
    rows = [(r - r.mean()) / np.sqrt(np.var(r, ddof=0) + eps) * gain + shift for r in flat]
    return np.array(rows).reshape(x.shape).astype(x.dtype if x.dtype.kind == "f" else float)
""",
    ),
)
