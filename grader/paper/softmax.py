"""The softmax of equation 1 (section 3.2.1), and what else students make of scores."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.weights import Array

OVERFLOWS = "none, in single precision"
"""A shift by nothing where numbers have four bytes: what a module shows of it, by scores that are huge."""


def softmax(
    x: Array,
    axis: Any = -1,
    *,
    shift: str = "max",
    shift_axis: Any = "same",
    keep: bool = True,
    keep_max: bool = True,
    keep_sum: bool = True,
    placed: str = "back",
    power: str = "exp",
    divide: str = "sum",
    more: float = 0.0,
    form: str = "",
    logs: str = "",
    mended: bool = False,
    twice: bool = False,
    half: str = "",
) -> Array:
    """``exp(x - max) / sum(exp(x - max))`` over ``axis``: a number, or a name of :func:`axes`; the shape of x.

    ``half`` says what has two bytes a number: ``scores``, ``powers``, ``weights``, or ``steps`` for all that is
    computed. Raises as Python's own numbers do where ``form`` is "python".
    """
    where = axes(axis, x.ndim)
    if half in {"scores", "scores and weights", "steps"}:
        x = x.astype(np.float16) if half == "steps" else x.astype(np.float16).astype(np.float64)
    top = top_of(x, shift, where if shift_axis == "same" else axes(shift_axis, x.ndim), keep=keep and keep_max)
    top = _put_last(top, where) if placed == "last" and shift not in {"none", "after exp"} else top
    shifted = (x - top).astype(np.float16) if half == "powers" else x - top
    powers = _POWERS[power](shifted.astype(np.float32) if shift == OVERFLOWS else shifted)
    powers = powers - powers.max(axis=where, keepdims=True) if shift == "after exp" else powers
    summed = np.exp(x - np.maximum.accumulate(x, axis=where)) if divide == "online" else powers
    total = _DIVISORS[divide](summed, where, keepdims=keep and keep_sum) + more
    total = _put_last(total, where) if placed == "last" else total
    if form == "python":
        _raise_as_python(powers, total)
    if form == "logarithm":
        weights = np.exp(x - (top + np.log(total)))
    else:
        weights = shifted - np.log(total) if logs == "exact" else powers / total
    weights = np.log(weights) if logs == "taken" else weights
    weights = np.nan_to_num(weights) if mended else weights
    weights = weights.astype(np.float16) if "weights" in half else weights
    return softmax(weights, axis) if twice else np.asarray(weights)


def axes(axis: Any, ndim: int) -> Any:
    """The axes that numpy is given for a number, or for a name."""
    if not isinstance(axis, str):
        return axis
    return {
        "everything": None,
        "last two": (-2, -1) if ndim > 1 else -1,
        "heads and keys": (-3, -1) if ndim > 2 else -1,
    }[axis]


def top_of(x: Array, shift: str, where: Any, *, keep: bool = True) -> Any:
    """What is subtracted before exp()."""
    match shift:
        case "none" | "after exp" | "none, in single precision":
            return 0.0
        case "everything":
            return x.max()
        case "magnitude":
            return np.abs(x).max(axis=where, keepdims=keep)
        case "first":
            return np.take(x, [0], axis=-1 if where is None else where)
        case "added":
            return -x.max(axis=where, keepdims=keep)
        case _:
            return getattr(x, shift)(axis=where, keepdims=keep)


def _put_last(reduced: Array, where: Any) -> Array:
    """What was reduced over an axis, with that axis at the end."""
    return np.expand_dims(np.squeeze(reduced, where), -1)


def _raise_as_python(powers: Array, total: Any) -> None:
    """Raise what ``math.exp`` and a division of Python's own numbers raise where numpy answers inf and nan."""
    if np.isinf(powers).any():
        raise OverflowError("math range error")
    if (np.asarray(total) == 0).any():
        raise ZeroDivisionError("float division by zero")


_POWERS: Mapping[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "two": lambda shifted: np.power(2.0, shifted),
    "ten": lambda shifted: np.power(10.0, shifted),
    "negative": lambda shifted: np.exp(-shifted),
    "linear": lambda shifted: shifted,
    "square": np.square,
    "expm1": np.expm1,
    "relu": lambda shifted: np.maximum(shifted, 0),
    "sigmoid": lambda shifted: 1 / (1 + np.exp(-shifted)),
    "one-hot": lambda shifted: (shifted == 0).astype(np.float64),
}

_DIVISORS: Mapping[str, Callable[..., Any]] = {
    "nothing": lambda *_, **__: 1.0,
    "sum": lambda powers, axis, **how: powers.sum(axis=axis, **how),
    "mean": lambda powers, axis, **how: powers.mean(axis=axis, **how),
    "sum, and their number": lambda powers, axis, **how: powers.sum(axis=axis, **how) * np.size(powers, axis),
    "length": lambda powers, axis, **how: np.sqrt((powers**2).sum(axis=axis, **how)),
    "one more": lambda powers, axis, **how: 1 + powers.sum(axis=axis, **how),
    "so far": lambda powers, axis, **_: np.cumsum(powers, axis=axis),
    "one less": lambda powers, axis, **how: powers.sum(axis=axis, **how) - 1,
    "online": lambda powers, axis, **how: powers.sum(axis=axis, **how),
    "running": lambda powers, axis, **_: _running(powers.sum(axis=axis, keepdims=True)),
    "first row": lambda powers, axis, **_: _of_the_first(powers.sum(axis=axis, keepdims=True)),
}


def _running(sums: Array) -> Array:
    """Sums of rows that go on from row to row: the total is not set back to 0."""
    return np.asarray(np.cumsum(sums).reshape(sums.shape))


def _of_the_first(sums: Array) -> Array:
    """The sum of the first row in the place of every row's."""
    return np.full_like(sums, sums.flat[0])
