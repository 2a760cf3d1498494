"""What a wrong oracle returns, remembered for inputs that every submission is asked; and what is plainly different.

A class asks the same visible cases of every submission, and a diagnosis compares each wrong one with hundreds of wrong
oracles: their answers are computed once a process, and answers that are far apart are told from each other quickly.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.properties import NOT_ASKED, largest_of

MOST_BYTES = 4096
"""Larger inputs are not remembered: memory stays small however large the class is."""

FAR = 0.2
"""More than any tolerance, relative to the largest expected entry."""


@dataclass(frozen=True, slots=True)
class _Asked:
    key: Hashable
    compute: Callable[[], Any] = field(compare=False)


@lru_cache(maxsize=1024)
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


def remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` of keywords alone, which remembers what it returned: several checks ask for the same."""

    def again(**inputs: Any) -> Any:
        return remembered(lambda: function(**inputs), inputs_key(inputs), function, "alone")  # without its arguments

    return again


@lru_cache(maxsize=4096)
def _of_block(asked: _Asked) -> Any:
    return asked.compute()


def by_value(compute: Callable[[], Any], *what: Any) -> Any:
    """Return ``compute()``, remembered by ``what``: functions, plain values, digests, and mappings by their own.

    Hand-ins to one assignment are given the same weights and inputs, and a diagnosis tries hundreds of mistakes on
    them. What cannot be told apart by its value is computed each time. The result must not be changed.
    """
    keys = tuple(_digest(one) if isinstance(one, Mapping) else _of_function(one) for one in what)
    return compute() if None in keys else _of_block(_Asked(keys, compute))


def lasting(values: Mapping[str, Any]) -> bytes | None:
    """The digest of a mapping that stays as it is, made once for it."""
    return _lasting(_Same(values))


@lru_cache(maxsize=64)
def _lasting(values: _Same) -> bytes | None:
    return _digest(values.what)


def _digest(values: Mapping[str, Any]) -> bytes | None:
    """What a mapping holds, order and memory layout included; None where something in it has no plain value."""
    found = blake2b(digest_size=16)
    for name, value in values.items():
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            found.update(f"{name} {value.dtype.str} {value.shape} {value.strides}".encode())
            found.update(np.ascontiguousarray(value).tobytes())
        elif plain(value):
            found.update(f"{name} {_exactly(value)}".encode())
        else:
            return None
    return found.digest()


def plain(value: Any) -> bool:
    """Whether a value is a number, a text, None, or a tuple of such."""
    if isinstance(value, tuple):
        return all(map(plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _of_function(function: Any) -> Hashable | None:
    if not isinstance(function, partial):
        return function if isinstance(function, Hashable) else None
    try:
        settings = tuple((name, _exactly(value)) for name, value in sorted(function.keywords.items()))
        key = (function.func, _exactly(function.args), settings)
        hash(key)
    except TypeError:
        return None
    return key


def _exactly(value: Any) -> tuple[type, Any]:
    """A value with its type, since 1 equals 1.0 and True, and 0.0 equals -0.0, yet oracles tell them apart."""
    if isinstance(value, tuple):
        return tuple, tuple(map(_exactly, value))
    if isinstance(value, partial):
        return partial, _of_function(value)
    return type(value), float(value).hex() if isinstance(value, float) else value


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
        elif plain(value):
            found.append((name, _exactly(value)))
        else:
            return None
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """Equal where it holds the very same object, which is kept alive: the numbers of a list mean nothing in another."""

    what: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.what is other.what

    def __hash__(self) -> int:
        return id(self.what)


def forecasts(inputs: Hashable, listed: Sequence[Any], oracle: Callable[..., Any]) -> Forecasts:
    """What is known of one visible input: empty when it is first asked for, kept for the process.

    ``listed`` are the wrong oracles that the numbers stand for.
    """
    return _forecasts(inputs, _Same(listed), oracle)


@lru_cache(maxsize=48)
def _forecasts(_inputs: Hashable, _listed: _Same, _oracle: Callable[..., Any]) -> Forecasts:
    return Forecasts()


class Forecasts:
    """What numbered wrong oracles, and numbered pairs of them, give on one input; filled as they are asked for."""

    __slots__ = ("fitted", "pairs", "singles", "touches")

    def __init__(self) -> None:
        self.singles, self.pairs = Rows(), Rows()
        self.touches: dict[int, bool] = {}
        self.fitted: dict[str, int] = {}


class Rows:
    """Answers by number, as vectors that are compared all at once; a number that is asked for again is known."""

    __slots__ = ("_rows", "_scales", "_sizes", "_store", "_used")

    def __init__(self) -> None:
        self._rows = np.zeros(0, dtype=np.int32)  # of each number, the first is 1; 0 where it is not known yet
        self._store = np.zeros((64, 8), dtype=np.float32)
        self._sizes, self._scales = np.zeros(64, dtype=np.int64), np.ones(64, dtype=np.float32)
        self._used = 0

    def near(
        self, numbers: npt.NDArray[np.int64], compute: Callable[[int], Any], got: Any, far: float = FAR
    ) -> npt.NDArray[np.bool_]:
        """Which of ``numbers``, each there once, have an answer that may be ``got``.

        That is a vector, None, the places that :func:`without` says, or as text the kind of an exception.
        ``compute`` gives the answer of a number that is not known yet: a value, or the kind of an exception as text.
        Only what no tolerance could take for ``got`` is left out; ``far`` is more than any, as in :func:`beyond`.
        """
        lacking = int(numbers.max(initial=-1)) + 1 - self._rows.size
        if lacking > 0:
            self._rows = np.concatenate([self._rows, np.zeros(lacking, dtype=np.int32)])
        for number in numbers[self._rows[numbers] == 0].tolist():
            self._rows[number] = self._add(compute(number)) + 1
        at = self._rows[numbers] - 1
        sizes = self._sizes[at]
        if not isinstance(got, np.ndarray):
            kept: npt.NDArray[np.bool_] = sizes == (_OTHER if got is None else _code(got))
            return kept | (sizes == _OTHER) if isinstance(got, tuple) else kept
        kept = sizes == got.size
        alike = at[kept]
        with np.errstate(all="ignore"):
            width = self._store.shape[1]  # less than the size of an answer that is unlike all that are known
            answers, mine = self._store[alike, : got.size], got[:width].astype(np.float32)
            apart = np.abs(answers - mine)
            apart[np.isnan(apart)] = 0.0  # infinities that both share
            apart[np.isnan(answers) != np.isnan(mine)] = np.inf
            kept[kept] = apart.max(axis=1, initial=0.0) <= far * self._scales[alike]
        kept |= sizes == _OTHER
        return kept

    def _add(self, answer: Any) -> int:
        row = self._used
        self._used += 1
        if row == len(self._store):
            self._store = np.concatenate([self._store, np.zeros_like(self._store)])
            self._sizes = np.concatenate([self._sizes, np.zeros_like(self._sizes)])
            self._scales = np.concatenate([self._scales, np.ones_like(self._scales)])
        kind = answer if isinstance(answer, str) else without(answer)
        vector = None if kind else flat(answer)
        if vector is None:
            self._sizes[row] = _code(kind) if kind else _OTHER
            return row
        if vector.size > self._store.shape[1]:
            wider = np.zeros((len(self._store), vector.size), dtype=np.float32)
            wider[:, : self._store.shape[1]] = self._store
            self._store = wider
        with np.errstate(all="ignore"):
            self._store[row, : vector.size] = vector
            self._scales[row] = np.abs(vector[np.isfinite(vector)]).max(initial=1.0)
        self._sizes[row] = vector.size
        return row


UNLIKE = object()
"""An answer that rows cannot hold: it takes a closer look."""
_OTHER = -1


def without(value: Any) -> tuple[int, ...]:
    """Return the places of those of several values that are None: none where there is one value only.

    What was not asked for does not count as a place: a prediction is cut down to what was asked for before.
    """
    asked = [part for part in value if part is not NOT_ASKED] if isinstance(value, tuple) else []
    return tuple(place for place, part in enumerate(asked) if part is None)


@lru_cache(maxsize=64)
def _code(kind: str | tuple[int, ...]) -> int:
    """A number below -1 for the kind of an exception, or for the places without a value."""
    return -2 - zlib.crc32(repr(kind).encode())


def flat(value: Any) -> np.ndarray[Any, Any] | None:
    """Floating arrays, or a tuple of them, as one vector; what was not asked for is left out; None for all else."""
    parts = value if isinstance(value, tuple | list) else (value,)
    asked = [getattr(part, "array", part) for part in parts if part is not NOT_ASKED]
    arrays = [array for array in asked if isinstance(array, np.ndarray) and array.dtype.kind == "f"]
    if not arrays or len(arrays) < len(asked):
        return None
    return np.concatenate([array.ravel() for array in arrays]).astype(np.float64)


def beyond(value: Any) -> float:
    """More than the tolerance that an answer is given, by its coarsest type, and than single precision can blur."""
    parts = value if isinstance(value, tuple | list) else (value,)
    sizes = [array.itemsize for part in parts if isinstance(array := getattr(part, "array", part), np.ndarray)]
    return 1e-3 if min(sizes, default=0) >= np.dtype(np.float32).itemsize else FAR


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
    return largest_of(mine - predicted) > FAR * max(largest_of(predicted), 1.0)
