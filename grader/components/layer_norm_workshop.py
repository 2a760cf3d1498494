"""Layer normalisation with knobs, every default being the hand-out's choice."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.properties import Array


def workshop(
    x: Any,
    gain: Any,
    shift: Any,
    eps: float = 1e-5,
    *,
    axis: str = "last",
    mean: str = "subtracted",
    spread: str = "root",
    eps_at: str = "variance",
    eps_value: float | None = None,
    eps_default: float | None = None,
    degrees: int = 0,
    affine: str = "gain, shift",
    in_place: str = "",
    result: str = "float",
    keep: bool = True,
    spread_axis: str = "same",
) -> Any:
    """The oracle with knobs; every default is the hand-out's choice."""
    given = np.asarray(x)
    values = given if given.dtype.kind == "f" else given.astype(np.float64)
    over = _axes(values, axis)
    eps = eps if eps_value is None else eps_value
    eps = eps_default if eps_default is not None and eps == 1e-5 else eps
    values = _affine_first(values, gain, shift, affine)
    middle = (values.min if mean == "smallest" else values.mean)(axis=over, keepdims=keep)
    centred = values if mean == "kept" else values - middle
    if mean == "kept in variance":
        variance = np.mean(values**2, axis=over, keepdims=keep)
    elif mean == "kept":
        variance = (
            np.mean(values**2, axis=over, keepdims=keep)
            if spread != "root of variance"
            else values.var(axis=over, keepdims=keep)
        )
    else:
        with warnings.catch_warnings():  # one feature has no variance that divides by d_model - 1
            warnings.simplefilter("ignore", RuntimeWarning)
            variance = values.var(axis=over, ddof=degrees, keepdims=keep)
    if spread == "sum":
        variance = (centred**2).sum(axis=over, keepdims=keep)
    if spread_axis != "same":
        variance = (centred**2).mean(axis=_axes(values, spread_axis), keepdims=keep)
    if spread == "mean size":
        variance = np.abs(centred).mean(axis=over, keepdims=keep) ** 2
    variance = np.ptp(values, axis=over, keepdims=keep) ** 2 if spread == "range" else variance
    normal = centred / _spread(variance, spread, eps, eps_at)
    out = _affine(normal, gain, shift, affine)
    if in_place == "x":
        x -= middle
    return out.astype(given.dtype) if result == "input" else out


def _affine_first(values: Array, gain: Any, shift: Any, affine: str) -> Array:
    """What becomes of x where gain or shift are applied before the norm."""
    if affine.startswith("before"):
        return np.asarray(values * gain + shift)
    return np.asarray(values * gain) if affine == "gain before" else values


def _axes(x: Array, axis: str) -> Any:
    return {
        "last": -1,
        "first": 0,
        "second": 1,
        "all": None,
        "before last": -2,
        "but first": tuple(range(1, x.ndim)) or -1,
        "but last": tuple(range(x.ndim - 1)) or 0,
        "last two": (-2, -1) if x.ndim > 1 else -1,
    }[axis]


def _spread(variance: Array, spread: str, eps: float, eps_at: str) -> Array:
    inside = variance + {"variance": eps, "squared": eps**2}.get(eps_at, 0.0)
    roots: dict[str, Callable[[], Array]] = {
        "variance": lambda: inside,
        "square": lambda: inside**2,
        "none": lambda: np.ones_like(inside),
        "multiplied": lambda: 1 / np.sqrt(inside),
        "fourth root": lambda: inside**0.25,
    }
    found = roots[spread]() if spread in roots else np.sqrt(inside)
    return np.asarray(found + (eps if eps_at == "root" else 0.0))


def _affine(normal: Array, gain: Any, shift: Any, affine: str) -> Array:
    ways: dict[str, Callable[[], Any]] = {
        "gain, shift": lambda: gain * normal + shift,
        "none": lambda: normal,
        "no shift": lambda: gain * normal,
        "no gain": lambda: normal + shift,
        "gain before": lambda: normal + shift,
        "swapped": lambda: shift * normal + gain,
        "1 + gain": lambda: (1 + gain) * normal + shift,
        "shift first": lambda: gain * (normal + shift),
        "minus shift": lambda: gain * normal - shift,
        "times shift": lambda: gain * normal * shift,
        "divided": lambda: normal / gain + shift,
        "first gain": lambda: gain[0] * normal + shift[0],
    }
    return np.asarray(ways[affine]() if affine in ways else normal)
