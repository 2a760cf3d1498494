"""Scaled dot-product attention (section 3.2.1, equation 1), step by step."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from grader.paper import einsum
from grader.paper.softmax import softmax
from grader.paper.weights import Array

LOW = -1e9
"""What is added to blocked scores where minus infinity cannot be: times 0 it would be no number."""


class Steps(NamedTuple):
    """What is computed on the way: QKᵀ, that scaled, that masked, the weights, and the output."""

    products: Array
    scores: Array
    masked: Array
    weights: Array
    output: Array


def attention(
    Q: Array,
    K: Array,
    V: Array,
    mask: Array | None = None,
    *,
    d_model: int = 0,
    product: str = "matmul",
    transpose: str = "last two",
    shared: str = "",
    normed: str = "",
    bend: str = "",
    cut: str = "",
    scale: Any = "sqrt_dk",
    scale_at: str = "scores",
    scale_when: str = "always",
    without: bool | None = None,
    mask_inverted: bool = False,
    mask_turned: str = "",
    mask_shifted: int = 0,
    triangle: str = "",
    mask_time: str = "before",
    fill: float = -np.inf,
    fill_below: float = 0.0,
    fill_scaled: bool = False,
    beside: float = 0.0,
    vanishing: float = 0.0,
    axis: Any = -1,
    averaged: bool = False,
    decimals: int = -1,
    diagonal: str = "",
    retrieve: str = "values",
    half: str = "",
    **normal: Any,
) -> Steps:
    """Weights ``softmax(Q Kᵀ / sqrt(d_k))`` and their output ``weights V``; ``normal`` are settings of the softmax.

    Q is ``(..., n, d_k)``, K ``(..., m, d_k)``, V ``(..., m, d_v)``; the boolean mask broadcasts to ``(..., n, m)``.
    ``d_model`` is the width of all heads together, for a scale that uses it; ``without`` is what a mask holds where
    none is given.
    """
    if mask is None and without is not None:
        mask = np.full((1, 1), without)
    if mask_time == "keys beforehand" and mask is not None:
        K, V = K * _columns(mask), V * _columns(mask)
    factor = 1.0 if scale_when == ("unmasked" if mask is not None else "masked") else factor_of(scale, Q, K, V, d_model)
    if shared:
        K, V = (_of_the_first(array) if name in shared else array for name, array in (("K", K), ("V", V)))
    products = _products(Q, V if transpose == "values" else K, product, transpose)
    if half == "inputs":
        products = _products(Q.astype(np.float16), K.astype(np.float16), product, transpose).astype(np.float64)
    products = products.astype(np.float16).astype(np.float64) if half == "products" else products
    products = _BENT[bend](products) if bend else products
    products = _MEASURED[normed](products) if normed else products
    scores = products * factor if scale_at.startswith("scores") else products
    scores = _CUT[cut](scores) if cut else scores
    if product == "elementwise, no mask" or mask_time == "ignored":
        mask = None
    read = None if mask is None else _read_mask(mask, mask_inverted, mask_turned, mask_shifted, scores.shape)
    allowed = _hidden_too(read, scores, triangle)
    masked = scores
    if allowed is not None and mask_time in _MASKED:
        fill = fill * factor if fill_scaled else fill  # it stands among the raw scores, and is divided with them
        masked = np.asarray(_MASKED[mask_time](scores, allowed, fill, fill_below))
    weights = softmax(masked, axis, half=half, **normal)
    if averaged:
        weights = np.broadcast_to(weights.mean(axis=-3, keepdims=True), weights.shape)
    weights = np.round(weights, decimals) if decimals >= 0 else weights
    if allowed is not None and mask_time in _MASKED_LATE:
        weights = _MASKED_LATE[mask_time](_vanished(weights, vanishing), allowed, fill, beside)
    weights = weights * factor if scale_at.endswith("weights") else weights
    weights = weights * triangular("never itself", *weights.shape[-2:]) if diagonal == "zeroed" else weights
    if retrieve == "values" and product == "matmul":
        output = np.asarray(weights @ V)
    else:
        reading = {"values by scores": masked, "values by open scores": scores}.get(retrieve, weights)
        reading = np.log(weights) if retrieve == "values by logarithms" else reading
        reading = softmax(scores, axis, **normal) if retrieve == "values unmasked" else reading
        output = _read(reading, {"keys": K, "queries": Q}.get(retrieve, V), retrieve, product)
    return Steps(products, scores, masked, weights, output * factor if scale_at.endswith("output") else output)


# ------------------------------------------------------------------------------------------------------ the scores


def factor_of(scale: Any, Q: Array, K: Array, V: Array, d_model: int) -> float:
    """What the scores are multiplied by: a number, a name, or a kind with its number ``c``.

    ``power`` is d_k to the power c, ``root`` c/√d_k and ``part`` c/d_k; ``root of more``, ``log of more`` and ``root
    and more`` divide by √(d_k + c), log(d_k + c) and √d_k + c.
    """
    if isinstance(scale, str):
        return float(_FACTORS[scale](Q, K, V, d_model))
    if isinstance(scale, tuple):
        of, number = scale
        return float(_WITH_A_NUMBER[of](Q.shape[-1], number))
    return float(scale)


_WITH_A_NUMBER: Mapping[str, Callable[[int, float], float]] = {
    "power": lambda d_k, c: d_k**c,
    "root": lambda d_k, c: c * d_k**-0.5,
    "part": lambda d_k, c: c / d_k,
    "root of more": lambda d_k, c: (d_k + c) ** -0.5,
    "log of more": lambda d_k, c: 1 / np.log(d_k + c),
    "root and more": lambda d_k, c: 1 / (d_k**0.5 + c),
}

_FACTORS: Mapping[str, Callable[[Array, Array, Array, int], float]] = {
    "sqrt_dk": lambda q, *_: q.shape[-1] ** -0.5,
    "none": lambda *_: 1.0,
    "times": lambda q, *_: q.shape[-1] ** 0.5,
    "times dk": lambda q, *_: q.shape[-1],
    "dk": lambda q, *_: 1 / q.shape[-1],
    "log dk": lambda q, *_: np.divide(1.0, np.log(q.shape[-1])),
    "half dk": lambda q, *_: 2 / q.shape[-1],
    "twice dk": lambda q, *_: 1 / (2 * q.shape[-1]),
    "whole root": lambda q, *_: 1 / math.isqrt(q.shape[-1]),
    "d_model": lambda _, __, ___, d_model: d_model**-0.5,
    "d_model without root": lambda _, __, ___, d_model: 1 / d_model,
    "heads": lambda q, *_: q.shape[-3] ** -0.5,
    "axis 0": lambda q, *_: q.shape[0] ** -0.5,
    "axis 1": lambda q, *_: q.shape[1] ** -0.5,
    "keys axis 0": lambda _, k, *__: k.shape[0] ** -0.5,
    "keys axis 1": lambda _, k, *__: k.shape[1] ** -0.5,
    "dv": lambda _, __, v, ___: v.shape[-1] ** -0.5,
    "keys": lambda _, k, *__: k.shape[-2] ** -0.5,
    "queries": lambda q, *_: q.shape[-2] ** -0.5,
    "entries": lambda q, *_: q[(0,) * (q.ndim - 2)].size ** -0.5,
    "all entries": lambda q, *_: q.size**-0.5,
}


def _products(Q: Array, K: Array, product: str, transpose: str) -> Array:
    if product == "matmul" and transpose == "last two":
        return np.asarray(Q @ K.swapaxes(-1, -2))
    if product.startswith("einsum"):
        return einsum.product(product, Q, K)
    if product.startswith(("elementwise", "distance")):
        return _by_pairs(Q, K, product)
    if product.startswith("cosine"):
        least = 1e-12 if product.endswith("no 0/0") else 0.0
        Q = Q if "of keys" in product else _of_length_1(Q, least)
        K = K if "of queries" in product else _of_length_1(K, least)
    if transpose in {"Q with Q", "K with K"}:
        one = Q if transpose == "Q with Q" else K
        return np.asarray(one @ one.swapaxes(-1, -2))
    if transpose == "roles":
        return np.asarray(K @ Q.swapaxes(-1, -2))
    other = _TURNED[transpose](K) if transpose in _TURNED else K.swapaxes(-1, -2)
    return np.asarray(np.dot(Q, other) if product == "dot" else Q @ other)


def _of_length_1(array: Array, least: float) -> Array:
    return np.asarray(array / np.maximum(np.linalg.norm(array, axis=-1, keepdims=True), least))


_TURNED: Mapping[str, Callable[[Array], Array]] = {
    "T": lambda keys: keys.T,
    "none": lambda keys: keys,
    "reshaped": lambda keys: keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2]),
    "0 2 1": lambda keys: keys.transpose(0, 2, 1),
    "0 1": lambda keys: keys.swapaxes(0, 1),
    "1 2": lambda keys: keys.swapaxes(1, 2),
    "2 3": lambda keys: keys.swapaxes(2, 3),
}


def _by_pairs(Q: Array, K: Array, product: str) -> Array:
    """Entry by entry, with the keys turned or not, or the distances of queries and keys below 0."""
    if product.startswith("distance"):
        apart = np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)
        return np.asarray(-(apart**2) if product.endswith("squared") else -apart)
    return np.asarray(Q * K.swapaxes(-1, -2) if "turned" in product else Q * K)


_BENT: Mapping[str, Callable[[Array], Array]] = {
    "absolute": np.abs,
    "squared": np.square,
    "cut at 0": lambda scores: np.maximum(scores, 0),
    "negative": np.negative,
}

_MEASURED: Mapping[str, Callable[[Array], Array]] = {
    "length": lambda scores: scores / np.linalg.norm(scores),
    "length of the row": lambda scores: scores / np.linalg.norm(scores, axis=-1, keepdims=True),
    "spread": lambda scores: scores / np.std(scores),
    "spread of the row": lambda scores: scores / scores.std(axis=-1, keepdims=True),
    "largest": lambda scores: scores / np.abs(scores).max(),
}
"""Scores that are divided by something that is taken from the scores themselves."""

_CUT: Mapping[str, Callable[[Array], Array]] = {"down": np.floor, "towards 0": np.trunc, "to the nearest": np.round}


def _of_the_first(array: Array) -> Array:
    """The first matrix of a batch in the place of every one."""
    return np.broadcast_to(array[(0,) * (array.ndim - 2)], array.shape)


# -------------------------------------------------------------------------------------------------------- the mask


def _columns(mask: Array) -> Array:
    return np.asarray(mask[..., :1, :].swapaxes(-1, -2), dtype=np.float64)


def _read_mask(mask: Array, inverted: bool, turned: str, shifted: int, scores: tuple[int, ...]) -> Array:
    """What the mask allows, as it is read: one key later or earlier where ``shifted`` is 1 or -1.

    ``turned``: its last two axes are exchanged always, or where there are as many queries as keys.
    """
    if turned == "always" or (turned == "where it fits" and scores[-1] == scores[-2]):
        mask = mask.swapaxes(-1, -2)
    if shifted:
        come_in = np.full((*mask.shape[:-1], 1), shifted > 0)
        mask = np.concatenate([come_in, mask[..., :-1]] if shifted > 0 else [mask[..., 1:], come_in], axis=-1)
    return ~mask if inverted else mask


def _hidden_too(allowed: Array | None, scores: Array, triangle: str) -> Array | None:
    """What is allowed where the code hides the future, or a query's own key, by itself."""
    if not triangle or (triangle == "by default" and allowed is not None):
        return allowed
    seen = triangular(triangle, *scores.shape[-2:])
    return seen if allowed is None else np.asarray(allowed & seen)


def triangular(which: str, n: int, m: int) -> Array:
    """What ``n`` queries see of ``m`` keys where the code makes the causal mask itself, right or wrong."""
    queries, keys = np.arange(n)[:, None], np.arange(m)
    return _TRIANGLES[which](keys - queries)


_TRIANGLES: Mapping[str, Callable[[Array], Array]] = {
    "always": lambda ahead: ahead <= 0,
    "by default": lambda ahead: ahead <= 0,
    "strict": lambda ahead: ahead < 0,
    "leaky": lambda ahead: ahead <= 1,
    "transposed": lambda ahead: ahead >= 0,
    "inverted": lambda ahead: ahead > 0,
    "never itself": lambda ahead: ahead != 0,
}
"""What is seen by how far a key is ahead of its query."""


_MASKED: Mapping[str, Callable[[Array, Array, float, float], Any]] = {
    "before": lambda scores, allowed, fill, _: np.where(allowed, scores, fill),
    "multiplied": lambda scores, allowed, *_: scores * allowed,
    "added": lambda scores, allowed, *_: scores + allowed,
    # What is meant to be added to the scores, 0 or the fill, is multiplied with them.
    "multiplied with the fill": lambda scores, allowed, fill, _: scores * np.where(allowed, 0.0, fill),
    "lowered": lambda scores, allowed, fill, _: scores + ~allowed * (fill if math.isfinite(fill) else LOW),
    # Beside -1e9 single precision keeps steps of 64.
    "lowered in float32": lambda scores, allowed, fill, _: (scores + ~allowed * fill).astype(np.float32).astype(float),
    "inf times zero": lambda scores, allowed, *_: scores + ~allowed * -np.inf,
    "not a number": lambda scores, allowed, *_: np.where(allowed, scores, np.nan),
    "truth": lambda scores, allowed, fill, _: np.where(allowed, scores, fill) if allowed else scores,
    "first sample": lambda scores, allowed, fill, _: np.where(allowed[(0,) * (allowed.ndim - 2)], scores, fill),
    "first query": lambda scores, allowed, fill, _: np.where(allowed[..., :1, :], scores, fill),
    "lowest of all": lambda scores, allowed, _, below: np.where(allowed, scores, scores.min() - below),
    "lowest of the row": lambda scores, allowed, *_: np.where(allowed, scores, scores.min(axis=-1, keepdims=True)),
    "indexed": lambda scores, allowed, fill, _: _indexed(scores, allowed, fill),
    "axis inserted": lambda scores, allowed, fill, _: np.where(
        allowed[:, None] if allowed.ndim == 2 else allowed, scores, fill
    ),
}
"""What becomes of the scores before the softmax: scores, what is allowed, the fill, and how far below the lowest."""


def _indexed(scores: Array, allowed: Array, fill: float) -> Array:
    scores = scores.copy()
    scores[~allowed] = fill
    return scores


def _vanished(weights: Array, below: float) -> Array:
    """Weights that are 0 below a number, as those of a smaller type are."""
    return np.where(weights < below, 0.0, weights) if below else weights


_MASKED_LATE: Mapping[str, Callable[[Array, Array, float, float], Array]] = {
    "after": lambda weights, allowed, *_: np.asarray(weights * allowed),
    "after, filled": lambda weights, allowed, fill, _: np.where(allowed, weights, fill),
    "after, added": lambda weights, allowed, *_: np.asarray(weights + allowed),
    "after, shared again": lambda weights, allowed, _, beside: _shared(weights * allowed, beside),
    "after, shared again safely": lambda weights, allowed, _, beside: _shared(weights * allowed, beside, empty=1.0),
    "after, shared again at least": lambda weights, allowed, _, beside: _shared(weights * allowed, least=beside),
    "after, divided by all": lambda weights, allowed, *_: weights * allowed / (weights * allowed).sum(),
    "after, divided by columns": lambda weights, allowed, _, beside: _shared(weights * allowed, beside, axis=-2),
}
"""What becomes of the weights after the softmax: weights, what is allowed, the fill, and what is beside their sum."""


def _shared(weights: Array, beside: float = 0.0, *, axis: int = -1, empty: float = 0.0, least: float = 0.0) -> Array:
    """Weights divided by their sum, by ``empty`` where that is 0, and by no less than ``least``."""
    total = np.maximum(weights.sum(axis=axis, keepdims=True) + beside, least)
    return np.asarray(weights / (np.where(total == 0.0, empty, total) if empty else total))


def _read(weights: Array, source: Array, retrieve: str, product: str) -> Array:
    if retrieve.startswith("values by einsum"):
        return einsum.product(retrieve, weights, source)
    if product in {"elementwise", "elementwise turned", "elementwise, no mask"} or retrieve == "values elementwise":
        return np.asarray(weights * source)
    if retrieve == "values, last key":
        return np.asarray(weights[..., -1:] * source[..., -1:, :])
    if retrieve == "values, best key":
        return np.asarray(np.take_along_axis(source, weights.argmax(axis=-1)[..., None], axis=-2))
    if retrieve == "values by columns":
        return np.asarray(weights.swapaxes(-1, -2) @ source)
    if retrieve == "values of the first query":
        weights = np.broadcast_to(weights[..., :1, :], weights.shape)
    part = _PARTS.get(retrieve, slice(None))
    weights, source = weights[..., part], source[..., part, :]
    found = np.asarray(np.dot(weights, source) if product == "dot" else weights @ source)
    return found / source.shape[-2] if retrieve == "values, mean" else found


_PARTS: Mapping[str, slice] = {"values but the last": slice(None, -1), "values but the first": slice(1, None)}
"""The keys that are read where a loop over them ends or begins at the wrong one."""
