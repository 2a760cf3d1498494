"""The softmax as a function: the paper's with settings, and the constants that can be read from a student's answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from grader.component.checks import Evidence
from grader.paper.softmax import axes, softmax, top_of
from grader.properties import Array, as_array


def workshop(
    x: Any,
    axis: int | None = None,
    *,
    default: int = -1,
    over: Any = "asked",
    shift: str = "max",
    shift_over: str = "same",
    rate: Any = 1.0,
    bend: str = "",
    result: str = "float",
    decimals: int = -1,
    clip: float = np.inf,
    vector: str = "",
    in_place: str = "",
    ranks: str = "any",
    **settings: Any,
) -> Any:
    """The paper's softmax with settings: which axis is taken, what is returned, and what is written into x."""
    given = np.asarray(x)
    axis = default if axis is None else axis
    if ranks == "matrix" and given.ndim != 2:
        raise ValueError("wrong number of values to unpack")
    if result == "refused" and given.dtype.kind != "f":
        raise TypeError("cannot cast the weights to whole numbers")
    where = _axis(given, axis, over, vector)
    if in_place:
        mine = np.asarray(given, dtype=np.float64) if in_place == "floats" else given
        return _in_place(mine, top_of(mine, shift, where), where, in_place)
    scores = np.clip(given.astype(np.float64) if given.dtype.kind != "f" else given, -clip, clip)
    if shift == "rows":  # sample by sample, as `for row in x` does
        return np.stack([softmax(row, "everything") for row in scores]) if scores.ndim else scores
    scores = np.abs(scores) if bend == "absolute" else scores
    if rate != 1.0:
        scores = scores * (_RATES[rate](scores, where) if rate in _RATES else rate)
    shift_axis = "same" if shift_over == "same" else _axis(given, axis, shift_over, vector)
    weights = softmax(scores, where, shift=shift, shift_axis=shift_axis, **settings)
    weights = np.round(weights, decimals) if decimals >= 0 else weights
    return _RESULTS[result](weights, given, axis) if result in _RESULTS else weights


_RATES: Mapping[Any, Callable[[Array, Any], Any]] = {
    "root": lambda scores, _: scores.shape[-1] ** -0.5,
    "largest": lambda scores, axis: 1 / scores.max(axis=axis, keepdims=True),
}
"""What the scores are multiplied by before exp(), where it is no number."""

_RESULTS: Mapping[str, Callable[[Array, Array, int], Array]] = {
    "input": lambda weights, given, _: weights.astype(given.dtype),
    "flat": lambda weights, *_: weights.reshape(-1),
    "moved": lambda weights, _, axis: np.moveaxis(weights, axis, -1),
    "moved on": lambda weights, _, axis: np.moveaxis(np.moveaxis(weights, axis, -1), axis, -1),
    "front": lambda weights, _, axis: np.moveaxis(weights, axis, 0),
    "front moved on": lambda weights, _, axis: np.moveaxis(np.moveaxis(weights, axis, 0), axis, 0),
    "swapped": lambda weights, _, axis: np.swapaxes(weights, axis, -1),
    "all axes turned": lambda weights, *_: weights.T,
    "turned": lambda weights, *_: np.atleast_2d(weights).T,
    "matrix": lambda weights, *_: np.atleast_2d(weights),
}


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
    named = {"asked": axis, "own": axis, "last": -1, "other": -2 if axis in {-1, x.ndim - 1} else -1}
    return named[over] if over in named else axes(over, x.ndim)


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
