"""Layer normalisation (section 3.1; Ba, Kiros and Hinton 2016, equation 4)."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.weights import Array, Roles


def layer_norm(
    x: Array,
    weights: Roles,
    eps: float = 1e-5,
    *,
    axis: str = "last",
    mean: str = "subtracted",
    spread: str = "root",
    spread_axis: str = "same",
    degrees: int = 0,
    eps_at: str = "variance",
    eps_value: float | None = None,
    eps_default: float | None = None,
    affine: str = "gain, shift",
    keep: bool = True,
    groups: int = 0,
) -> Array:
    """``gain * (x - mean) / sqrt(variance + eps) + shift`` over the last axis; ``weights`` has gain and shift, if any.

    ``eps_value`` is used instead of the ``eps`` that is passed, and ``eps_default`` where none is.
    """
    if affine in _BEFORE:
        x = np.asarray(_BEFORE[affine](x, weights.must("gain"), weights.get("shift")))
    eps = next(float(one) for one in (eps_value, eps_default, eps) if one is not None)
    shape = x.shape
    x = x.reshape(*shape[:-1], groups, shape[-1] // groups) if groups else x
    over = _axes(x, axis)
    middle = x.mean() if mean == "of all" else (x.min if mean == "smallest" else x.mean)(axis=over, keepdims=keep)
    centred = x if mean == "kept" else x - middle
    spread, beside, _ = spread.partition(" + eps")
    if spread in _SPREADS:
        variance = _SPREADS[spread](x, centred, over, keep)
    else:
        about = centred if mean == "subtracted" and keep else x
        about = about if mean.startswith("kept") or about is centred else x - x.mean(axis=over, keepdims=True)
        among = over if spread_axis == "same" else _axes(x, spread_axis)
        variance = _variance(about, among, degrees, keep)
    divisor = _divisor(variance, spread, eps, "root" if beside else eps_at)
    normal = x - middle / divisor if spread == "precedence" else centred / divisor
    return _affine(normal.reshape(shape) if groups else normal, weights, affine)


def _axes(x: Array, axis: str) -> Any:
    if axis == "last":
        return -1
    return {
        "first": 0,
        "second": 1,
        "all": None,
        "before last": -2,
        "but first": tuple(range(1, x.ndim)) or -1,
        "but last": tuple(range(x.ndim - 1)) or 0,
        "last two": (-2, -1) if x.ndim > 1 else -1,
    }[axis]


def _variance(about: Array, over: Any, degrees: int, keep: bool) -> Array:
    """The mean square; nothing is left to divide where there are as many degrees as numbers."""
    squares = (about**2).sum(axis=over, keepdims=keep)
    if over == -1:
        count = about.shape[-1]
    else:
        count = about.size if over is None else math.prod(about.shape[at] for at in np.atleast_1d(over))
    return np.asarray(squares / (count - degrees or math.nan))


_SPREADS: Mapping[str, Callable[[Array, Array, Any, bool], Array]] = {
    "sum": lambda _, centred, over, keep: (centred**2).sum(axis=over, keepdims=keep),
    "size": lambda _, centred, over, keep: np.abs(centred).mean(axis=over, keepdims=keep),
    "mean size": lambda _, centred, over, keep: np.abs(centred).mean(axis=over, keepdims=keep) ** 2,
    "range": lambda x, _, over, keep: np.ptp(x, axis=over, keepdims=keep) ** 2,
    "root of variance": lambda x, _, over, keep: x.var(axis=over, keepdims=keep),
}
"""What stands in the place of the variance."""

_DIVISORS: Mapping[str, Callable[[Array, float], Array]] = {
    "variance": lambda inside, _: inside,
    "square": lambda inside, _: inside**2,
    "none": lambda inside, _: np.ones_like(inside),
    "unit": lambda inside, eps: np.full_like(inside, math.sqrt(1.0 + eps)),
    "multiplied": lambda inside, _: np.asarray(1 / np.sqrt(inside)),
    "fourth root": lambda inside, _: inside**0.25,
    "root of root": lambda inside, eps: np.asarray(np.sqrt(np.sqrt(inside - eps) + eps)),
}


def _divisor(variance: Array, spread: str, eps: float, eps_at: str) -> Array:
    if spread == "root" and eps_at == "variance":
        return np.asarray(np.sqrt(variance + eps))
    inside = variance + {"variance": eps, "squared": eps**2}.get(eps_at, 0.0)
    found = _DIVISORS[spread](inside, eps) if spread in _DIVISORS else np.sqrt(inside)
    return np.asarray(found + {"root": eps, "root, by its root": math.sqrt(eps)}.get(eps_at, 0.0))


def _affine(normal: Array, weights: Roles, affine: str) -> Array:
    if affine in {"none", *_BEFORE}:
        return np.asarray(normal + weights.must("shift") if affine == "gain before" else normal)
    if affine == "no gain":
        return np.asarray(normal + weights.must("shift"))
    if affine == "no shift":
        return np.asarray(normal * weights.must("gain"))
    gain, shift = weights.get("gain"), weights.get("shift")
    gain = np.ones(normal.shape[-1]) if gain is None else gain
    shift = np.zeros(normal.shape[-1]) if shift is None else shift
    return np.asarray(_AFFINE[affine](normal, gain, shift))


_BEFORE: Mapping[str, Callable[[Array, Array, Any], Array]] = {
    "before": lambda x, gain, shift: x * gain + shift,
    "gain before": lambda x, gain, _: x * gain,
}
"""Gain or shift before the norm."""

_AFFINE: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "gain, shift": lambda normal, gain, shift: normal * gain + shift,
    "swapped": lambda normal, gain, shift: shift * normal + gain,
    "1 + gain": lambda normal, gain, shift: (1 + gain) * normal + shift,
    "shift first": lambda normal, gain, shift: gain * (normal + shift),
    "minus shift": lambda normal, gain, shift: gain * normal - shift,
    "added": lambda normal, gain, shift: normal + gain + shift,
    "times shift": lambda normal, gain, shift: gain * normal * shift,
    "divided": lambda normal, gain, shift: normal / gain + shift,
    "first gain": lambda normal, gain, shift: gain[0] * normal + shift[0],
}
