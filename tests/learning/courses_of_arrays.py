"""A course in numpy: functions and classes of arrays, masks that are True where nothing is seen."""

from __future__ import annotations

from courses import Course

NUMPY = Course(
    """
import numpy as np


def smoothed_cross_entropy(logits, target, eps, pad_id):
    logs = logits - logits.max(-1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(-1, keepdims=True))
    wanted = (1 - eps) * np.eye(logits.shape[-1])[target] + eps / logits.shape[-1]
    real = target != pad_id
    return -(wanted * logs).sum(-1)[real].sum() / real.sum()


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def look_ahead_mask(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)


def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, -1e30, s)
    w = softmax(s)
    return w, w @ v


class LayerNorm:
    def __init__(self, dim):
        self.params = {"gamma": np.ones(dim), "beta": np.zeros(dim)}

    def forward(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return self.params["gamma"] * centred / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) + self.params["beta"]


class MultiHeadAttention:
    def __init__(self, dim, heads, seed=0):
        rng, self.heads = np.random.default_rng(seed), heads
        self.params = {name: rng.normal(size=(dim, dim)) / np.sqrt(dim) for name in ("Wq", "Wk", "Wv", "Wo")}

    def forward(self, x, mask=None):
        b, t, d = x.shape
        q, k, v = (
            (x @ self.params[name]).reshape(b, t, self.heads, d // self.heads).transpose(0, 2, 1, 3)
            for name in ("Wq", "Wk", "Wv")
        )
        _, y = attention(q, k, v, mask)
        return y.transpose(0, 2, 1, 3).reshape(b, t, d) @ self.params["Wo"]


class FeedForward:
    def __init__(self, dim, inner, rng):
        self.params = {"W1": rng.normal(size=(dim, inner)) * 0.1, "b1": np.zeros(inner),
                       "W2": rng.normal(size=(inner, dim)) * 0.1, "b2": np.zeros(dim)}

    def forward(self, x):
        h = np.maximum(x @ self.params["W1"] + self.params["b1"], 0)
        return h @ self.params["W2"] + self.params["b2"]


class PositionalEncoding:
    def __init__(self, dim, max_len=200):
        angle = np.arange(max_len)[:, None] / 10000 ** (np.arange(0, dim, 2) / dim)
        self.table = np.zeros((max_len, dim))
        self.table[:, 0::2], self.table[:, 1::2] = np.sin(angle), np.cos(angle)

    def forward(self, x):
        return x + self.table[: x.shape[1]]
""",
    """
import numpy as np


def smoothed_cross_entropy(logits, target, eps, pad_id):
    real = target != pad_id
    logits, target = logits[real], target[real]
    top = logits.max(-1)
    total = top + np.log(np.exp(logits - top[:, None]).sum(-1))
    own = np.take_along_axis(logits, target[:, None], -1)[:, 0]
    return np.mean(total - (1 - eps) * own - eps * logits.mean(-1))


def softmax(z):
    z = np.asarray(z, dtype=float)
    shifted = z - np.max(z, -1)[..., None]
    return np.exp(shifted) / np.exp(shifted).sum(-1)[..., None]


def look_ahead_mask(n):
    row = np.arange(n)
    return row[None, :] > row[:, None]


def attention(Q, K, V, blocked=None):
    scores = np.einsum("...id,...jd->...ij", Q, K) * Q.shape[-1] ** -0.5
    if blocked is not None:
        scores = scores + np.where(blocked, -np.inf, 0.0)
    weights = softmax(scores)
    return weights, np.einsum("...ij,...jd->...id", weights, V)


class LayerNorm:
    def __init__(self, dim):
        self.gain, self.shift = np.ones((dim,)), np.zeros((dim,))

    def forward(self, x):
        mean = x.sum(-1, keepdims=True) / x.shape[-1]
        variance = ((x - mean) ** 2).sum(-1, keepdims=True) / x.shape[-1]
        return (x - mean) * (variance + 1e-5) ** -0.5 * self.gain + self.shift


class MultiHeadAttention:
    def __init__(self, dim, heads, seed=0):
        g = np.random.default_rng(seed)
        self.h, self.all, self.out = heads, g.normal(size=(dim, 3 * dim)), g.normal(size=(dim, dim))

    def forward(self, x, mask=None):
        q, k, v = np.split(x @ self.all, 3, axis=-1)
        cut = lambda a: np.stack(np.split(a, self.h, axis=-1), axis=1)
        _, y = attention(cut(q), cut(k), cut(v), mask)
        return np.concatenate(list(y.swapaxes(0, 1)), axis=-1) @ self.out


class FeedForward:
    def __init__(self, dim, inner, g):
        self.layers = [(g.normal(size=(dim, inner)), np.zeros(inner)), (g.normal(size=(inner, dim)), np.zeros(dim))]

    def forward(self, x):
        (w, b), (u, c) = self.layers
        h = x @ w + b
        return (h * (h > 0)) @ u + c


class PositionalEncoding:
    def __init__(self, dim, max_len=200):
        self.rates = 10000.0 ** (-2 * (np.arange(dim) // 2) / dim)

    def forward(self, x):
        angle = np.arange(x.shape[1])[:, None] * self.rates
        return x + np.where(np.arange(x.shape[2]) % 2, np.cos(angle), np.sin(angle))
""",
    {
        "causal_mask": {"mask": "block"},
        "label_smoothing": {},
        "scaled_dot_product_attention": {"mask": "block"},
        "multi_head_attention": {"backend": "numpy", "mask": "block"},
        "feed_forward": {"backend": "numpy", "constructor": ["d_model", "d_ff", {"rng": "generator"}]},
        "layer_norm": {"backend": "numpy", "constructor": ["d_model"]},
        "positional_encoding": {"backend": "numpy", "constructor": ["d_model", "max_len"]},
    },
    (
        ("causal-mask-inverted", "np.triu(np.ones((n, n), dtype=bool), k=1)", "np.tril(np.ones((n, n), dtype=bool))"),
        ("sdpa-no-scale", " / np.sqrt(q.shape[-1])", ""),
        ("ffn-missing-activation", 'np.maximum(x @ self.params["W1"] + self.params["b1"], 0)',
         'x @ self.params["W1"] + self.params["b1"]'),
        ("mha-missing-output-projection", ' @ self.params["Wo"]', ""),
        ("pe-sin-cos-swapped", "np.sin(angle), np.cos(angle)", "np.cos(angle), np.sin(angle)"),
        ("ls-pad-not-ignored", "real = target != pad_id", "real = target >= 0"),
    ),
)  # fmt: skip
