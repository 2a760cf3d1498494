"""What a wrong oracle returns, remembered for inputs that every submission is asked; and what is plainly different.

A class asks the same visible cases of every submission, and a diagnosis compares each wrong one with hundreds of wrong
oracles: their answers are computed once a process, and answers that are far apart are told from each other quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from grader.properties import NOT_ASKED

MOST_BYTES = 4096
"""Larger inputs are not remembered: memory stays small however large the class is."""

FAR = 0.2
"""More than any tolerance, relative to the largest expected entry."""


@dataclass(frozen=True, slots=True)
class _Asked:
    key: Hashable
    compute: Callable[[], Any] = field(compare=False)


@lru_cache(maxsize=4096)
def _remembered(asked: _Asked) -> Any:
    return asked.compute()


def remembered(compute: Callable[[], Any], inputs: Hashable | None, *functions: Any) -> Any:
    """Return ``compute()``, remembered by what :func:`inputs_key` says of the inputs, and by the functions.

    What cannot be told apart by its value is computed each time. The result must not be changed.
    """
    if inputs is None:
        return compute()
    keys = tuple(_of_function(function) for function in functions)
    return compute() if None in keys else _remembered(_Asked((inputs, keys), compute))


def _of_function(function: Any) -> Hashable | None:
    if not isinstance(function, partial):
        return function if isinstance(function, Hashable) else None
    try:
        key = (function.func, function.args, tuple(sorted(function.keywords.items())))
        hash(key)
    except TypeError:
        return None
    return key


def inputs_key(inputs: Mapping[str, Any]) -> Hashable | None:
    """Inputs by their value; None where they are large, or hold what has no plain value."""
    found: list[Hashable] = []
    size = 0
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            size += value.nbytes
            if size > MOST_BYTES or value.dtype.hasobject:
                return None
            found.append((name, value.shape, value.dtype.str, value.strides, value.tobytes()))
        elif value is None or isinstance(value, bool | int | float | str):
            found.append((name, type(value), value))
        else:
            return None
    return tuple(found)


@lru_cache(maxsize=24)
def table(_inputs: Hashable, _target: Hashable) -> dict[Hashable, Any]:
    """A place for what pairs of wrong oracles give on the same inputs: empty when it is first asked for."""
    return {}


def flat(value: Any) -> np.ndarray[Any, Any] | None:
    """Floating arrays, or a tuple of them, as one vector; what was not asked for is left out; None for all else."""
    parts = value if isinstance(value, tuple | list) else (value,)
    asked = [getattr(part, "array", part) for part in parts if part is not NOT_ASKED]
    arrays = [array for array in asked if isinstance(array, np.ndarray) and array.dtype.kind == "f"]
    if not arrays or len(arrays) < len(asked):
        return None
    return np.concatenate([array.ravel() for array in arrays]).astype(np.float64)


def far_apart(rows: Sequence[np.ndarray[Any, Any] | None], got: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which of ``rows`` no tolerance could take ``got`` for, as booleans; never one that is None."""
    far = np.array([row is not None and row.size != got.size for row in rows], dtype=bool)
    alike = [at for at, row in enumerate(rows) if row is not None and row.size == got.size]
    if alike and got.size:
        stacked = np.stack([row for row in rows if row is not None and row.size == got.size])
        with np.errstate(all="ignore"):
            difference = np.nan_to_num(np.abs(stacked - got), nan=0.0, posinf=np.inf)
            far[alike] = difference.max(axis=1) > FAR * np.maximum(np.abs(stacked).max(axis=1), 1.0)
    return far


def clearly_apart(got: Any, predicted: Any) -> bool:
    """Whether no tolerance could take ``got`` for ``predicted``; False where that takes a closer look."""
    if isinstance(predicted, tuple):
        if not isinstance(got, tuple | list) or len(got) != len(predicted):
            return True
        pairs = zip(got, predicted, strict=True)
        return any(mine is not NOT_ASKED and clearly_apart(mine, theirs) for mine, theirs in pairs)
    mine = getattr(got, "array", got)
    if not (isinstance(mine, np.ndarray) and isinstance(predicted, np.ndarray)):
        return mine is None and isinstance(predicted, np.ndarray)
    if mine.dtype.kind != "f" or predicted.dtype.kind != "f" or not (mine.size and predicted.size):
        return False
    if mine.shape != predicted.shape:
        return True
    # Never true where one of them holds what is not a number.
    return float(np.abs(mine - predicted).max()) > FAR * max(float(np.abs(predicted).max()), 1.0)
