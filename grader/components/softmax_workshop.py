"""The softmax with knobs, and the constants that can be read from a student's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from grader.component import Evidence
from grader.properties import Array, as_array


def workshop(
    x: Any,
    axis: int | None = None,
    *,
    default: int = -1,
    over: Any = "asked",
    shift: str = "max",
    shift_over: str = "same",
    keep: bool = True,
    keep_max: bool = True,
    keep_sum: bool = True,
    rate: Any = 1.0,
    more: float = 0.0,
    bend: str = "",
    power: str = "exp",
    divide: str = "sum",
    result: str = "float",
    decimals: int = -1,
    clip: float = np.inf,
    vector: str = "",
    in_place: str = "",
    twice: bool = False,
    logs: str = "",
    form: str = "",
    ranks: str = "any",
    placed: str = "back",
    mended: bool = False,
) -> Any:
    """The oracle with knobs; every default is the right choice."""
    given = np.asarray(x)
    axis = default if axis is None else axis
    if ranks == "matrix" and given.ndim != 2:
        raise ValueError("wrong number of values to unpack")
    if result == "refused" and given.dtype.kind != "f":
        raise TypeError("cannot cast the weights to whole numbers")
    where = _axis(given, axis, over, vector)
    if in_place:
        mine = np.asarray(given, dtype=np.float64) if in_place == "floats" else given
        return _in_place(mine, _shift(mine, shift, where, keep=True), where, in_place)
    scores = np.clip(given.astype(np.float64) if given.dtype.kind != "f" else given, -clip, clip)
    if shift == "rows":  # sample by sample, as `for row in x` does
        return np.stack([workshop(row, over="everything") for row in scores]) if scores.ndim else scores
    scores = np.abs(scores) if bend == "absolute" else scores
    if rate != 1.0:
        scores = scores * (scores.shape[-1] ** -0.5 if rate == "root" else rate)
    top = _shift(
        scores, shift, _axis(given, axis, shift_over, vector) if shift_over != "same" else where, keep=keep and keep_max
    )
    top = _put_last(top, where) if placed == "last" and shift != "none" else top
    shifted = scores - top
    powers = _POWERS[power](shifted)
    powers = powers - powers.max(axis=where, keepdims=True) if shift == "after exp" else powers
    summed = np.exp(scores - np.maximum.accumulate(scores, axis=where)) if divide == "online" else powers
    total = _DIVISORS[divide](summed, where, keepdims=keep and keep_sum) + more
    total = _put_last(total, where) if placed == "last" else total
    if form == "python":
        raise_as_python(powers, total)
    weights = np.asarray(shifted - np.log(total) if logs == "exact" else powers / total)
    weights = np.exp(scores - (top + np.log(total))) if form == "logarithm" else weights
    weights = np.log(weights) if logs == "taken" else weights
    weights = np.nan_to_num(weights) if mended else weights
    weights = workshop(weights, axis) if twice else weights
    weights = np.round(weights, decimals) if decimals >= 0 else weights
    shapes: dict[str, Callable[[], Array]] = {
        "input": lambda: weights.astype(given.dtype),
        "flat": lambda: weights.reshape(-1),
        "moved": lambda: np.moveaxis(weights, axis, -1),
        "swapped": lambda: np.swapaxes(weights, axis, -1),
        "all axes turned": lambda: weights.T,
        "turned": lambda: np.atleast_2d(weights).T,
        "matrix": lambda: np.atleast_2d(weights),
    }
    return shapes[result]() if result in shapes else weights


def _put_last(reduced: Array, where: Any) -> Array:
    """What was reduced over an axis, with that axis at the end."""
    return np.expand_dims(np.squeeze(reduced, where), -1)


def raise_as_python(powers: Array, total: Any) -> None:
    """Raise what ``math.exp`` and a division of Python's own numbers raise where numpy answers inf and nan."""
    if np.isinf(powers).any():
        raise OverflowError("math range error")
    if (np.asarray(total) == 0).any():
        raise ZeroDivisionError("float division by zero")


def _in_place(x: Array, top: Any, where: Any, how: str) -> Array:
    x -= top
    powers: Array = np.exp(x) if how == "shift" else np.exp(x, out=x)
    if how == "shift":
        return np.asarray(powers / powers.sum(axis=where, keepdims=True))
    powers /= powers.sum(axis=where, keepdims=True)
    return powers


def _axis(x: Array, axis: int, over: Any, vector: str) -> Any:
    if isinstance(over, int):
        return 0 if x.ndim == 1 and vector == "spared" else over
    return {
        "asked": axis,
        "own": axis,
        "last": -1,
        "everything": None,
        "other": -2 if axis in {-1, x.ndim - 1} else -1,
        "last two": (-2, -1) if x.ndim > 1 else -1,
    }[over]


def _shift(scores: Array, shift: str, where: Any, *, keep: bool) -> Any:
    match shift:
        case "none" | "after exp":
            return 0.0
        case "everything":
            return scores.max()
        case "magnitude":
            return np.abs(scores).max(axis=where, keepdims=keep)
        case "first":
            return np.take(scores, [0], axis=-1 if where is None else where)
        case "added":
            return -scores.max(axis=where, keepdims=keep)
        case _:
            return getattr(scores, shift)(axis=where, keepdims=keep)


_POWERS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "two": lambda shifted: np.power(2.0, shifted),
    "ten": lambda shifted: np.power(10.0, shifted),
    "negative": lambda shifted: np.exp(-shifted),
    "linear": lambda shifted: shifted,
    "square": np.square,
    "expm1": np.expm1,
    "sigmoid": lambda shifted: 1 / (1 + np.exp(-shifted)),
    "one-hot": lambda shifted: (shifted == 0).astype(np.float64),
}

_DIVISORS: dict[str, Callable[..., Any]] = {
    "nothing": lambda *_, **__: 1.0,
    "sum": lambda powers, axis, **how: powers.sum(axis=axis, **how),
    "mean": lambda powers, axis, **how: powers.mean(axis=axis, **how),
    "length": lambda powers, axis, **how: np.sqrt((powers**2).sum(axis=axis, **how)),
    "one more": lambda powers, axis, **how: 1 + powers.sum(axis=axis, **how),
    "online": lambda powers, axis, **how: powers.sum(axis=axis, **how),
    "running": lambda powers, axis, **how: _running(powers.sum(axis=axis, keepdims=True)),  # noqa: ARG005 - one shape
    "first row": lambda powers, axis, **how: _of_the_first(powers.sum(axis=axis, keepdims=True)),  # noqa: ARG005
}


def _running(sums: Array) -> Array:
    """Sums of rows that go on from row to row: the total is not set back to 0."""
    return np.asarray(np.cumsum(sums).reshape(sums.shape))


def _of_the_first(sums: Array) -> Array:
    """The sum of the first row in the place of every row's."""
    return np.full_like(sums, sums.flat[0])


def _two_rows(evidence: Evidence) -> Iterable[Array]:
    """Answers to the case of two rows of two, the scores 0 and 1 above 2 and 0."""
    for answer in evidence.answers:
        given, got = answer.call.inputs, as_array(answer.value) if answer.status == "value" else None
        asked = given.keys() == {"x"} and np.array_equal(given["x"], [[0.0, 1.0], [2.0, 0.0]])
        if asked and got is not None and got.shape == (2, 2) and got.dtype.kind == "f":
            yield got


def fitted_more(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The constant beside the sum of the exponentials: with it a row no longer sums to 1."""
    for weights in _two_rows(evidence):
        more = float((1 / weights[0].sum() - 1) * (1 + np.exp(-1.0)))
        for number in (float(f"{more:.3g}"), more):
            if 1e-7 < number < 1.0:
                yield {"more": number}


def fitted_rate(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The factor of the scores inside exp()."""
    usual = (0.0, 1.0, -1.0, float(np.log(2.0)), float(np.log(10.0)))
    for weights in _two_rows(evidence):
        rate = float(np.log(weights[0, 1] / weights[0, 0]))
        if np.isfinite(rate) and min(abs(rate - other) for other in usual) > 1e-3:
            yield from ({"rate": number} for number in (float(f"{rate:.6g}"), rate))
