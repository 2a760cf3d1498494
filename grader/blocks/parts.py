"""Attention, heads, feed-forward and norm in numpy, with knobs: the paper where no knob is turned.

A knob is a setting by name (``sdpa.scale``, ``mha.merge``, ``ffn.activation``, ``ln.eps``); settings go down through
every block, so that a mistake inside attention can be tried inside a whole model. The first word of a knob says which
component the mistake belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.blocks.weights import Array, Roles

Knobs = Mapping[str, Any]
NONE: Knobs = {}
_VANISHING = 1e-45
"""Below the smallest number of float32."""


# ------------------------------------------------------------------------------------ section 3.2.1, attention


def attend(q: Array, k: Array, v: Array, mask: Array | None, knobs: Knobs, d_model: int) -> Array:
    """Equation 1 for ``(batch, heads, n, d_k)``; the mask broadcasts to ``(batch, heads, n, m)``."""
    if knobs.get("sdpa.elementwise"):
        return np.asarray(_softmax(q * k / math.sqrt(q.shape[-1]), -1) * v)
    scores = q @ _turned(k, knobs) * _scale(knobs, q, k, d_model)
    time = knobs.get("sdpa.mask_time", "before")
    if mask is None and "sdpa.without" in knobs:  # what stands for a mask where none is given
        mask = np.full((1, 1), knobs["sdpa.without"])
    allowed = None if mask is None or time == "ignored" else np.broadcast_to(_read_mask(mask, knobs), scores.shape)
    if knobs.get("sdpa.triangle"):
        past = np.broadcast_to(np.tri(*scores.shape[-2:]) > 0, scores.shape)
        allowed = past if allowed is None else allowed & past
    if allowed is not None and time == "before":
        blocked = _fill(scores, knobs)
        if knobs.get("sdpa.fill_scaled"):  # the fill stands among the raw scores, and is divided with them
            blocked = blocked * _scale(knobs, q, k, d_model)
        scores = np.where(allowed, scores, blocked)
    elif allowed is not None and time in {"multiplied", "added", "subtracted"}:
        scores = {"multiplied": scores * allowed, "added": scores + allowed, "subtracted": scores - allowed}[time]
    weights = _normalised(scores, knobs)
    if allowed is not None and time in {"after", "filled_after"}:
        weights = weights * allowed if time == "after" else np.where(allowed, weights, -1e9)
    elif allowed is not None and time in {"renormalised", "renormalised_safely"}:
        safely = time == "renormalised_safely"
        weights = _renormalised(weights * allowed, safely=safely, beside=knobs.get("sdpa.sum_plus", 0.0))
    if "sdpa.weights_times" in knobs:
        weights = weights * {"sqrt_dk": 1 / math.sqrt(q.shape[-1]), "dk": 1 / q.shape[-1]}[knobs["sdpa.weights_times"]]
    return np.asarray(weights @ (k if knobs.get("sdpa.retrieve") == "keys" else v))


def _turned(k: Array, knobs: Knobs) -> Array:
    """The keys as the second factor, ``(…, d_k, m)``."""
    return k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) if "sdpa.keys" in knobs else np.swapaxes(k, -1, -2)


def _read_mask(mask: Array, knobs: Knobs) -> Array:
    """What the mask allows, as it is read."""
    mask = np.swapaxes(mask, -1, -2) if knobs.get("sdpa.mask_turned") else mask
    return ~mask if knobs.get("sdpa.mask_inverted") else mask


def _fill(scores: Array, knobs: Knobs) -> Any:
    """What stands where the mask blocks."""
    if "sdpa.fill_below" in knobs:
        return scores.min() - knobs["sdpa.fill_below"]
    return scores + knobs["sdpa.fill_added"] if "sdpa.fill_added" in knobs else knobs.get("sdpa.fill", -np.inf)


def _renormalised(weights: Array, *, safely: bool, beside: float) -> Array:
    """Weights divided by their sum, as float32 does: where all of them vanish nothing is left to divide.

    ``beside`` is what some add to the sum.
    """
    kept = np.where(weights < _VANISHING, 0.0, weights)
    total = kept.sum(axis=-1, keepdims=True) + beside
    return np.asarray(kept / np.where(total == 0.0, 1.0, total) if safely else kept / total)


def _normalised(scores: Array, knobs: Knobs) -> Array:
    how: str = knobs.get("sdpa.normalise", "softmax")
    if how == "none":
        return scores
    if how == "sum":
        return np.asarray(scores / scores.sum(axis=-1, keepdims=True))
    if how == "sigmoid":
        return np.asarray(1 / (1 + np.exp(-scores)))
    weights = _softmax(scores, knobs.get("sdpa.axis", -1))
    if how == "log":
        below = scores - scores.max(axis=-1, keepdims=True)
        return np.asarray(below - np.log(np.exp(below).sum(axis=-1, keepdims=True)))
    if how == "head_mean":
        return np.broadcast_to(weights.mean(1, keepdims=True), weights.shape)
    return _softmax(weights, -1) if how == "twice" else weights


def _softmax(scores: Array, axis: Any) -> Array:
    over = {"all": None, "matrix": (-2, -1)}[axis] if isinstance(axis, str) else axis
    shifted = np.exp(scores - np.max(scores, axis=over, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=over, keepdims=True))


def _scale(knobs: Knobs, q: Array, k: Array, d_model: int) -> float:
    d_k = q.shape[-1]
    if "mha.scale" in knobs:
        return float(
            {"d_model": d_model**-0.5, "heads": q.shape[1] ** -0.5, "whole_d_model": 1 / d_model}[knobs["mha.scale"]]
        )
    factors: dict[str, float] = {
        "sqrt_dk": d_k**-0.5,
        "none": 1.0,
        "times": d_k**0.5,
        "dk": 1 / d_k,
        "twice": 1 / d_k,
        "keys": k.shape[-2] ** -0.5,
        "queries": q.shape[-2] ** -0.5,
        "times_dk": float(d_k),
        "root_4": d_k**-0.25,
        "half dk": 2 / d_k,
        "twice dk": 0.5 / d_k,
        "whole root": 1 / math.isqrt(d_k),
        "batch": q.shape[0] ** -0.5,
    }
    how = knobs.get("sdpa.scale", "sqrt_dk")
    return how if isinstance(how, float) else float(factors[how])


# ------------------------------------------------------------------------------------------ section 3.2.2, heads


def multi_head(
    query: Array, key: Array, value: Array, weights: Roles, heads: int, mask: Array | None, knobs: Knobs = NONE
) -> Array:
    """Multi-head attention for ``(batch, n, d_model)``; masks of 2, 3 (per sample) or 4 axes."""
    d_model = query.shape[-1]
    if knobs.get("mha.sequence_first"):
        turned = (np.swapaxes(x, 0, 1) for x in (query, key, value))
        inner = {name: setting for name, setting in knobs.items() if name != "mha.sequence_first"}
        q, k, v = turned
        return np.swapaxes(multi_head(q, k, v, weights, heads, mask, inner), 0, 1)
    if knobs.get("mha.length") == "query" and key.shape[1] != query.shape[1]:
        raise ValueError("cannot reshape keys to the length of the query")
    if max(query.shape[1], key.shape[1]) > knobs.get("mha.longest", math.inf):
        raise ValueError("the size of tensor must match")
    given = {"query": query, "key": key, "value": value}
    source = [given[knobs.get(f"mha.{letter}_from", name)] for letter, name in zip("qkv", given, strict=True)]
    q, k, v = (_projected(x, weights, letter, knobs) for x, letter in zip(source, "qkv", strict=True))
    q, k, v = (_split(x, 1 if knobs.get("mha.one_head") else heads, knobs) for x in (q, k, v))
    joined = _merge(attend(q, k, v, _mask_for_heads(mask, q.shape[0], heads, knobs), knobs, d_model), knobs)
    return _projected_out(joined, query, weights, knobs)


def _projected(x: Array, weights: Roles, letter: str, knobs: Knobs) -> Array:
    if letter in knobs.get("mha.unprojected", ""):
        return x
    read = knobs.get(f"mha.{letter}_weight", letter)
    if knobs.get("mha.one_for_all"):
        pieces = x.reshape(*x.shape[:-1], -1, len(weights.must(f"w_{read}")))
        return _linear(pieces, weights, f"w_{read}", f"b_{read}").reshape(x.shape)
    y = _linear(x, weights, f"w_{read}", f"b_{read}")
    if letter in knobs.get("mha.relu", ""):
        return np.maximum(y, 0)
    return np.maximum(y, 0) if letter in knobs.get("mha.activation", "") else y


def _linear(x: Array, weights: Roles, matrix: str, bias: str) -> Array:
    y = x @ weights.must(matrix)
    b = weights.get(bias)
    return np.asarray(y if b is None else y + b)


def _split(x: Array, heads: int, knobs: Knobs) -> Array:
    batch, n, width = x.shape
    if knobs.get("mha.split") == "view":
        return x.reshape(batch, heads, n, width // heads)
    if knobs.get("mha.split") == "behind":  # the heads stay behind the positions: attention then runs between them
        return x.reshape(batch, n, heads, width // heads)
    return x.reshape(batch, n, heads, width // heads).swapaxes(1, 2)


_REDUCED: Mapping[str, Callable[[Array], Array]] = {
    "sum": lambda x: np.asarray(x.sum(1)),
    "mean": lambda x: np.asarray(x.mean(1)),
    "max": lambda x: np.asarray(x.max(1)),
    "first": lambda x: np.asarray(x[:, 0]),
    "first_repeated": lambda x: np.tile(x[:, 0], (1, 1, x.shape[1])),
    "last_repeated": lambda x: np.tile(x[:, -1], (1, 1, x.shape[1])),
    "last": lambda x: np.asarray(x[:, -1]),
    "sum_then_repeat": lambda x: np.tile(x.sum(1), (1, 1, x.shape[1])),
}


def _merge(x: Array, knobs: Knobs) -> Array:
    batch, heads, n, width = x.shape
    how = knobs.get("mha.merge", "heads")
    if knobs.get("mha.split") == "behind":
        return (x if how == "view" else x.swapaxes(1, 2)).reshape(batch, heads, n * width)
    if how in _REDUCED:
        return _REDUCED[how](x)
    if how == "view":
        return x.reshape(batch, n, heads * width)
    if how == "unfolded":  # (batch * heads, n, d_k) taken for (heads * batch, n, d_k)
        return x.reshape(heads, batch, n, width).transpose(1, 2, 0, 3).reshape(batch, n, heads * width)
    if how == "last_axes":  # (batch, n, d_k, heads) flattened: the columns come out interleaved
        return x.transpose(0, 2, 3, 1).reshape(batch, n, heads * width)
    return x.swapaxes(1, 2).reshape(batch, n, heads * width)


def _mask_for_heads(mask: Array | None, batch: int, heads: int, knobs: Knobs) -> Array | None:
    if mask is not None and mask.ndim == 4 and mask.shape[1] == 1 and knobs.get("mha.mask4") == "as_3":  # noqa: PLR2004
        mask = np.broadcast_to(mask[:, 0], (batch, *mask.shape[2:]))
    if mask is not None and mask.ndim == 4 and knobs.get("mha.mask4") == "first_head":  # noqa: PLR2004
        mask = mask[:, :1]
    if mask is not None and mask.ndim == 4 and knobs.get("mha.mask4") in {"any", "all"}:  # noqa: PLR2004
        mask = getattr(mask, knobs["mha.mask4"])(axis=1, keepdims=True)
    if mask is not None and mask.ndim == 2 and knobs.get("mha.mask2") == "padding" and len(mask) == batch:  # noqa: PLR2004
        mask = mask[:, None, None, :]
    if mask is not None and knobs.get("mha.mask_unsqueezed"):
        return np.expand_dims(mask, knobs["mha.mask_unsqueezed"])
    if mask is None or mask.ndim != 3:  # noqa: PLR2004 - a mask for each sample
        return mask
    if knobs.get("mha.mask3") == "repeat":
        return np.tile(mask, (heads, 1, 1))[: batch * heads].reshape(batch, heads, *mask.shape[1:])
    ways = {"as_is": mask[None], "first_sample": mask[None, :1], "ignored": None}
    return ways.get(knobs.get("mha.mask3", "sample"), mask[:, None])


def _projected_out(joined: Array, query: Array, weights: Roles, knobs: Knobs) -> Array:
    how = knobs.get("mha.output", "project")
    if how == "none":
        return joined
    out = _linear(joined, weights, "w_o", "b_o")
    if how == "twice":
        out = _linear(out, weights, "w_o", "b_o")
    if how == "relu":
        out = np.maximum(out, 0)
    return _with_residual(out, query, weights, knobs.get("mha.residual"), knobs)


def _with_residual(out: Array, x: Array, weights: Roles, how: Any, knobs: Knobs) -> Array:
    """The residual, and the norm, that some put inside a sublayer."""
    if how:
        out = out + x
    return layer_norm(out, weights.part("norm"), knobs) if how == "norm" else out


# ------------------------------------------------------------------------------------ section 3.3, feed-forward


def _erf(x: Array) -> Array:
    return np.asarray(np.vectorize(math.erf, otypes=[float])(x))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "none": lambda x: x,
    "gelu": lambda x: x * 0.5 * (1 + _erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "leaky": lambda x: np.where(x > 0, x, 0.01 * x),
    "leaky_1": lambda x: np.where(x > 0, x, 0.1 * x),
    "leaky_2": lambda x: np.where(x > 0, x, 0.2 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softmax": lambda x: _softmax(x, -1),
    "softplus": lambda x: np.logaddexp(x, 0),
    "abs": np.abs,
    "square": lambda x: np.maximum(x, 0) ** 2,
    "relu6": lambda x: np.clip(x, 0, 6),
    "clip_1": lambda x: np.clip(x, 0, 1),
    "negative": lambda x: np.minimum(x, 0),
}


def feed_forward(x: Array, weights: Roles, knobs: Knobs = NONE) -> Array:
    """Equation 2: ``max(0, x W_1 + b_1) W_2 + b_2``."""
    how = knobs.get("ffn.activation", "relu")
    if knobs.get("ffn.merged"):
        x = x.mean(1, keepdims=True)
    if knobs.get("ffn.before"):
        x = ACTIVATIONS["relu"](x)
    hidden = _linear(x, weights, "w_1", "b_1")
    hidden = ACTIVATIONS[how if how not in {"after", "both"} else {"after": "none", "both": "relu"}[how]](hidden)
    if "ffn.norm" in knobs:
        hidden = hidden / np.sqrt((hidden**2).mean(-1, keepdims=True))
    out = _linear(hidden, weights, "w_2", "b_2")
    if how in {"after", "both"}:
        out = ACTIVATIONS["relu"](out)
    return _with_residual(out, x, weights, knobs.get("ffn.residual"), knobs)


# ------------------------------------------------------------------------------------------------ the norm


_AXES: Mapping[str, Any] = {
    "last": -1,
    "sequence": -2,
    "all": None,
    "rows": (0, 1),
    "batch": 0,
    "but_batch": "but_batch",
}


def layer_norm(x: Array, weights: Roles, knobs: Knobs = NONE, eps: float = 1e-5) -> Array:
    """``gain * (x - mean) / sqrt(variance + eps) + shift`` over the last axis."""
    if "ln.groups" in knobs:
        return _affine(_normed_by_groups(x, knobs["ln.groups"], eps), weights, knobs)
    eps = float(knobs.get("ln.eps_value", eps))
    over = _AXES[knobs.get("ln.axes", "last")]
    over = tuple(range(1, x.ndim)) if over == "but_batch" else tuple(range(x.ndim - 1)) if over == (0, 1) else over
    mean = x.mean(axis=over, keepdims=True)
    if knobs.get("ln.no_centre"):
        mean = np.zeros_like(mean)
    centred = x - mean
    ddof = 1 if knobs.get("ln.unbiased") else 0
    count = x.size if over is None else math.prod(x.shape[a] for a in np.atleast_1d(over))
    variance = (centred**2).sum(axis=over, keepdims=True) / max(count - ddof, 1e-300)
    normed = _divided(x, centred, mean, variance, eps, knobs)
    return _affine(normed, weights, knobs)


def _normed_by_groups(x: Array, groups: int, eps: float) -> Array:
    """Groups of neighbouring features, each normalised by itself."""
    parts = x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups)
    centred = parts - parts.mean(axis=-1, keepdims=True)
    return np.asarray((centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)).reshape(x.shape))


_SPREADS: Mapping[str, Callable[[Array, Array, float], Array]] = {
    "inside": lambda _, variance, eps: np.asarray(np.sqrt(variance + eps)),
    "outside": lambda _, variance, eps: np.asarray(np.sqrt(variance) + eps),
    "unit": lambda _, variance, eps: np.full_like(variance, math.sqrt(1.0 + eps)),
    "no_eps": lambda _, variance, __: np.asarray(np.sqrt(variance)),
    "variance": lambda _, variance, eps: np.asarray(variance + eps),
    "none": lambda _, variance, __: np.ones_like(variance),
    "eps_squared": lambda _, variance, eps: np.asarray(np.sqrt(variance + eps**2)),
    "root_eps": lambda _, variance, eps: np.asarray(np.sqrt(variance) + math.sqrt(eps)),
    "fourth": lambda _, variance, eps: np.asarray(np.sqrt(np.sqrt(variance) + eps)),
    "mean_abs": lambda centred, _, eps: np.asarray(np.abs(centred).mean(-1, keepdims=True) + eps),
    "norm": lambda centred, _, eps: np.asarray(np.sqrt((centred**2).sum(-1, keepdims=True)) + eps),
}


def _divided(x: Array, centred: Array, mean: Array, variance: Array, eps: float, knobs: Knobs) -> Array:
    how = knobs.get("ln.divide", "inside")
    spread = _SPREADS["inside" if how == "precedence" else how](centred, variance, eps)
    if how == "precedence":
        return np.asarray(x - mean / spread)
    if knobs.get("ln.multiplied"):
        return np.asarray(centred * spread)
    return np.asarray(centred / spread)


def _affine(normed: Array, weights: Roles, knobs: Knobs) -> Array:
    how = knobs.get("ln.affine", "full")
    if how == "none":
        return normed
    if how == "gain":
        return np.asarray(normed * weights.must("gain"))
    if how == "shift":
        return np.asarray(normed + weights.must("shift"))
    gain, shift = weights.get("gain"), weights.get("shift")
    gain = np.ones(normed.shape[-1]) if gain is None else gain
    if how == "one_plus":
        gain = 1 + gain
    if shift is None:
        return np.asarray(normed * gain)
    if how == "shift_first":
        return np.asarray((normed + shift) * gain)
    return np.asarray(normed * gain - shift if how == "minus" else normed * gain + shift)
