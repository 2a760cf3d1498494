"""Scaled dot-product attention with knobs, every default being the paper's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.components import attention_einsum as einsum
from grader.components.softmax_workshop import raise_as_python
from grader.properties import Array

LOW = -1e9


def workshop(
    Q: Any,
    K: Any,
    V: Any,
    mask: Any = None,
    *,
    scale: Any = "sqrt_dk",
    scale_at: str = "scores",
    scale_when: str = "always",
    product: str = "matmul",
    form: str = "",
    transpose: str = "last two",
    bend: str = "",
    axis: Any = -1,
    normal: str = "softmax",
    mask_time: str = "before",
    more: float = 0.0,
    meaning: str = "attend",
    causal: str = "",
    fill: float = -np.inf,
    retrieve: str = "values",
    returns: str = "output, weights",
    second: str = "weights",
    in_place: str = "",
    result: str = "float",
    decimals: int = -1,
    rounded: str = "weights",
    plus: str = "",
    ranks: str = "any",
    cut: str = "",
    normed: str = "",
    shared: str = "",
) -> Any:
    """The oracle with knobs; every default is the paper's choice."""
    kind, store = np.asarray(Q).dtype, V
    if (ranks == "matrix" and np.ndim(Q) != 2) or (ranks == "batch" and np.ndim(Q) != 3):
        raise ValueError("wrong number of values to unpack")
    if in_place:
        scale = _write(in_place, Q, K, V, mask, scale)
    Q, K, V = (_floating(array) for array in (Q, K, V))
    if mask_time == "keys beforehand" and mask is not None:
        K, V = K * _columns(mask), V * _columns(mask)
    factor = 1.0 if scale_when == ("unmasked" if mask is not None else "masked") else _factor(scale, Q, K, V)
    K, V = (_of_the_first(array) if name in shared else array for name, array in (("K", K), ("V", V)))
    raw = _measured(_bent(_scores(Q, V if transpose == "values" else K, product, transpose), bend), normed)
    scores = _cut(raw * factor if scale_at == "scores" else raw, cut)
    allowed = None if mask is None else ~mask if meaning == "block" else mask
    if allowed is None and mask_time == "none blocks all":
        allowed = np.zeros(scores.shape, dtype=bool)
    allowed = _hidden_too(allowed, scores, causal)
    if mask_time.endswith("before the scale"):  # the fill stands among the raw scores, and is divided with them
        fill, mask_time = fill * factor, mask_time.partition(" ")[0]
    masked = scores if allowed is None else _masked(scores, allowed, mask_time, fill)
    weights = _normalised(masked, axis, normal, more, form)
    weights = _rounded(weights, decimals, rounded == "weights")
    weights = weights if allowed is None else _masked_late(weights, allowed, mask_time, fill)
    weights = weights * factor if scale_at == "weights" else weights
    reading = _normalised(scores, axis, normal) if retrieve == "values unmasked" else weights
    reading = {"values by scores": masked, "values by open scores": scores}.get(retrieve, reading)
    output = _read(
        reading, {"values": V, "keys": K, "queries": Q}[retrieve.partition(" ")[0].rstrip(",")], retrieve, product
    )
    output = output * factor if scale_at == "output" else output
    output = output / K.shape[-2] if retrieve == "values, mean" else output + {"": 0, "query": Q, "values": V}[plus]
    if result == "input":
        output, weights = output.astype(kind), weights.astype(kind)
    elif result == "input, output alone":
        output = output.astype(kind)
    free = _normalised(scores, axis, normal) if second == "unmasked weights" else weights
    shown = {
        "weights": weights,
        "unmasked weights": free,
        "transposed weights": weights.swapaxes(-1, -2) if weights.ndim > 1 else weights,
        "scores": masked,
        "shifted scores": masked - masked.max(axis=-1, keepdims=True),
        "unmasked scores": scores,
        "products": raw,
        "output": output,
    }[second]
    shown = _rounded(shown, decimals, rounded in {"shown", "both"})
    output = _rounded(output, decimals, rounded in {"output", "both"})
    output = _stored(output, store) if in_place == "V" else output
    return {
        "output, weights": (output, shown),
        "weights, output": (shown, output),
        "output": output,
        "weights": shown,
        "three": (output, shown, masked),
    }[returns]


def _write(what: str, Q: Any, K: Any, V: Any, mask: Any, scale: Any) -> Any:
    """Write into the caller's array as the slip does; return the scale that is still to be applied."""
    if what == "mask":
        if mask is not None:
            np.logical_not(mask, out=mask)  # and from here on the inverted mask says what to block
        return scale
    if what == "V":  # that comes at the end
        return scale
    name, _, when = what.partition(" ")
    argument = {"Q": Q, "K": K}[name]
    if not when or argument.dtype.kind == "f":
        argument *= _factor(scale, Q, K, V)
        return "none"
    return scale


def _stored(output: Array, store: Any) -> Any:
    store[...] = output
    return store


def _hidden_too(allowed: Array | None, scores: Array, causal: str) -> Array | None:
    """What is allowed where the code hides the future, or a query's own key, by itself."""
    if causal in {"always", "never itself"} or (causal == "by default" and allowed is None):
        shape = scores.shape[-2:]
        seen = np.eye(*shape) == 0 if causal == "never itself" else np.tri(*shape) > 0
        return np.asarray(seen if allowed is None else allowed & seen)
    return allowed


def _rounded(array: Array, decimals: int, here: bool) -> Array:
    return np.asarray(np.round(array, decimals)) if here and decimals >= 0 else array


def _bent(scores: Array, bend: str) -> Array:
    ways: dict[str, Callable[[Array], Array]] = {
        "absolute": np.abs,
        "squared": np.square,
        "cut at 0": lambda found: np.maximum(found, 0),
        "negative": np.negative,
    }
    return ways[bend](scores) if bend else scores


def _floating(array: Any) -> Array:
    found = np.asarray(array)
    return found if found.dtype.kind == "f" else found.astype(np.float64)


_MEASURES: dict[str, Callable[[Array], Any]] = {
    "length": np.linalg.norm,
    "length of the row": lambda scores: np.linalg.norm(scores, axis=-1, keepdims=True),
    "spread": np.std,
    "spread of the row": lambda scores: scores.std(axis=-1, keepdims=True),
    "largest": lambda scores: np.abs(scores).max(),
}
"""What the scores are divided by where that is taken from the scores themselves."""


def _measured(scores: Array, by: str) -> Array:
    return np.asarray(scores / _MEASURES[by](scores)) if by else scores


def _cut(scores: Array, cut: str) -> Array:
    ways: dict[str, Callable[[Array], Any]] = {"down": np.floor, "towards 0": np.trunc, "to the nearest": np.round}
    return np.asarray(ways[cut](scores)) if cut else scores


def _of_the_first(array: Array) -> Array:
    """The first matrix of a batch in the place of every one."""
    return np.broadcast_to(array[(0,) * (array.ndim - 2)], array.shape)


def _columns(mask: Array) -> Array:
    return np.asarray(mask[..., :1, :].swapaxes(-1, -2), dtype=np.float64)


def _factor(scale: Any, Q: Array, K: Array, V: Array) -> float:
    d_k = Q.shape[-1]
    if isinstance(scale, float):
        return scale
    if isinstance(scale, tuple):
        return float(d_k ** scale[1])
    sizes: dict[str, Callable[[], float]] = {
        "sqrt_dk": lambda: d_k**-0.5,
        "none": lambda: 1.0,
        "times": lambda: d_k**0.5,
        "dk": lambda: 1 / d_k,
        "half dk": lambda: 2 / d_k,
        "twice dk": lambda: 1 / (2 * d_k),
        "root of both": lambda: (2 * d_k) ** -0.5,
        "whole root": lambda: 1 / int(d_k**0.5),
        "axis 1": lambda: Q.shape[1] ** -0.5,
        "axis 0": lambda: Q.shape[0] ** -0.5,
        "keys axis 1": lambda: K.shape[1] ** -0.5,
        "keys axis 0": lambda: K.shape[0] ** -0.5,
        "dv": lambda: V.shape[-1] ** -0.5,
        "keys": lambda: K.shape[-2] ** -0.5,
        "queries": lambda: Q.shape[-2] ** -0.5,
        "entries": lambda: Q[(0,) * (Q.ndim - 2)].size ** -0.5,
        "all entries": lambda: Q.size**-0.5,
    }
    return float(sizes[scale]())


def _scores(Q: Array, K: Array, product: str, transpose: str) -> Array:
    if product.startswith("einsum"):
        return einsum.product(product, Q, K)
    if product.startswith("elementwise"):
        return np.asarray(Q * K.swapaxes(-1, -2) if "turned" in product else Q * K)
    turned: dict[str, Callable[[], Array]] = {
        "last two": lambda: K.swapaxes(-1, -2),
        "values": lambda: K.swapaxes(-1, -2),
        "T": lambda: K.T,
        "none": lambda: K,
        "reshaped": lambda: K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]),
        "0 2 1": lambda: K.transpose(0, 2, 1),
        "0 1": lambda: K.swapaxes(0, 1),
        "1 2": lambda: K.swapaxes(1, 2),
        "2 3": lambda: K.swapaxes(2, 3),
    }
    if product.startswith("cosine"):
        least = 1e-12 if product == "cosine, no 0/0" else 0.0
        Q, K = (array / np.maximum(np.linalg.norm(array, axis=-1, keepdims=True), least) for array in (Q, K))
    if transpose in {"Q with Q", "K with K"}:
        one = Q if transpose == "Q with Q" else K
        return np.asarray(one @ one.swapaxes(-1, -2))
    if transpose == "roles":
        return np.asarray(K @ Q.swapaxes(-1, -2))
    other = turned[transpose]()
    return np.asarray(np.dot(Q, other) if product == "dot" else Q @ other)


def _masked(scores: Array, allowed: Array, time: str, fill: float) -> Array:
    ways: dict[str, Callable[[], Any]] = {
        "before": lambda: np.where(allowed, scores, fill),
        "none blocks all": lambda: np.where(allowed, scores, fill),
        "multiplied": lambda: scores * allowed,
        "added": lambda: scores + allowed,
        "lowered": lambda: scores + ~allowed * (fill if np.isfinite(fill) else LOW),
        "inf times zero": lambda: scores + ~allowed * -np.inf,
        "transposed": lambda: np.where(allowed.swapaxes(-1, -2), scores, fill),
        "truth": lambda: np.where(allowed, scores, fill) if allowed else scores,
        "first sample": lambda: np.where(allowed[(0,) * (allowed.ndim - 2)], scores, fill),
        "first query": lambda: np.where(allowed[..., :1, :], scores, fill),
        "lowest of all": lambda: np.where(allowed, scores, scores.min()),
        "lowest of the row": lambda: np.where(allowed, scores, scores.min(axis=-1, keepdims=True)),
        "indexed": lambda: _indexed(scores, allowed, fill),
        "axis inserted": lambda: np.where(allowed[:, None] if allowed.ndim == 2 else allowed, scores, fill),
        "refused": _refused,
    }
    return np.asarray(ways[time]()) if time in ways else scores


def _masked_late(weights: Array, allowed: Array, time: str, fill: float) -> Array:
    """Weights that meet the mask after the softmax only."""
    if time == "after, filled":
        return np.where(allowed, weights, fill)
    if not time.startswith("after"):
        return weights
    masked = np.asarray(weights * allowed)
    if time == "after, shared again":
        return np.asarray(masked / masked.sum(axis=-1, keepdims=True))
    beside = fill if np.isfinite(fill) else 0.0
    if time == "after, divided by all":
        return np.asarray(masked / masked.sum())
    return masked if time == "after" else np.asarray(masked / (masked.sum(axis=-2, keepdims=True) + beside))


def _indexed(scores: Array, allowed: Array, fill: float) -> Array:
    scores = scores.copy()
    scores[~allowed] = fill
    return scores


def _refused() -> None:
    raise TypeError("got an unexpected keyword argument 'mask'")


def _normalised(scores: Array, axis: Any, normal: str, more: float = 0.0, form: str = "") -> Array:
    over = {"all": None, "matrix": (-2, -1), "heads and keys": (-3, -1)}[axis] if isinstance(axis, str) else axis
    if axis == "heads and keys" and scores.ndim < 3:
        over = -1
    keep = normal not in {"no keepdims", "no keepdims at all"}
    top = _top(scores, over, normal)
    powers = np.exp(scores - top)
    if form:
        total = powers.sum(axis=over, keepdims=keep)
        if form == "python":
            raise_as_python(powers, total)
        elif form == "logarithm":
            return np.asarray(np.exp(scores - (top + np.log(total))))
    ways: dict[str, Callable[[], Any]] = {
        "scores": lambda: scores,
        "exp": lambda: np.exp(scores),
        "sigmoid": lambda: 1 / (1 + np.exp(-scores)),
        "linear": lambda: scores / scores.sum(axis=over, keepdims=True),
        "relu": lambda: np.maximum(scores, 0),
        "hard": lambda: (scores == scores.max(axis=over, keepdims=True)).astype(np.float64),
        "log": lambda: np.log(powers / powers.sum(axis=over, keepdims=True)),
        "exact log": lambda: scores - _top(scores, over, "") - np.log(powers.sum(axis=over, keepdims=True)),
        "zero for nothing": lambda: np.nan_to_num(powers / powers.sum(axis=over, keepdims=True)),
        "mean": lambda: powers / powers.mean(axis=over, keepdims=True),
        "length": lambda: powers / np.sqrt((powers**2).sum(axis=over, keepdims=True)),
        "undivided": lambda: powers,
        "twice": lambda: _normalised(powers / powers.sum(axis=over, keepdims=True), axis, "softmax"),
    }
    return np.asarray(ways[normal]() if normal in ways else powers / (powers.sum(axis=over, keepdims=keep) + more))


def _top(scores: Array, over: Any, normal: str) -> Any:
    """What is subtracted from the scores before exp()."""
    ways: dict[str, Callable[[], Any]] = {
        "no shift": lambda: 0.0,
        "one shift": scores.max,
        "mean shift": lambda: scores.mean(axis=over, keepdims=True),
        "lowest shift": lambda: scores.min(axis=over, keepdims=True),
        "magnitude shift": lambda: np.abs(scores).max(axis=over, keepdims=True),
        "no keepdims at all": lambda: scores.max(axis=over),
        "no keepdims in the maximum": lambda: scores.max(axis=over),
    }
    return ways[normal]() if normal in ways else scores.max(axis=over, keepdims=True)


def _read(weights: Array, source: Array, retrieve: str, product: str) -> Array:
    if retrieve.startswith("values by einsum"):
        return einsum.product(retrieve, weights, source)
    if product in {"elementwise", "elementwise turned"} or retrieve == "values elementwise":
        return np.asarray(weights * source)
    if retrieve == "values, last key":
        return np.asarray(weights[..., -1:] * source[..., -1:, :])
    if retrieve == "values, best key":
        return np.asarray(np.take_along_axis(source, weights.argmax(axis=-1)[..., None], axis=-2))
    if retrieve == "values by columns":
        return np.asarray(weights.swapaxes(-1, -2) @ source)
    return np.asarray(np.dot(weights, source) if product == "dot" else weights @ source)
