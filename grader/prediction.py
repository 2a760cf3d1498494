"""What a wrong oracle returns, remembered for inputs that every submission is asked; and what is plainly different.

A class asks the same visible cases of every submission, and a diagnosis compares each wrong one with hundreds of wrong
oracles: their answers are computed once a process, and answers that are far apart are told from each other quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
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


@lru_cache(maxsize=8192)
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


def clearly_apart(got: Any, predicted: Any) -> bool:
    """Whether no tolerance could take ``got`` for ``predicted``; False where that takes a closer look."""
    if isinstance(predicted, tuple):
        if not isinstance(got, tuple | list) or len(got) != len(predicted):
            return True
        pairs = zip(got, predicted, strict=True)
        return any(mine is not NOT_ASKED and clearly_apart(mine, theirs) for mine, theirs in pairs)
    mine = getattr(got, "array", got)
    if not (isinstance(mine, np.ndarray) and isinstance(predicted, np.ndarray)):
        return False
    if mine.dtype.kind != "f" or predicted.dtype.kind != "f" or not (mine.size and predicted.size):
        return False
    if mine.shape != predicted.shape:
        return True
    # Never true where one of them holds what is not a number.
    return float(np.abs(mine - predicted).max()) > FAR * max(float(np.abs(predicted).max()), 1.0)
