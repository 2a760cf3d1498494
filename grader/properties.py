"""What any right implementation has, and the one place for tolerance.

A comparison is made in a fixed order: structure and exact shape, then dtype kind, then finite, and only then
``error <= tolerance`` (never ``not error > tolerance``, which NaN would pass).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.model.outcome import Tells

Array = npt.NDArray[Any]


class NotAsked:
    """Stands where the hand-out asks for no such value; judged by nobody."""


NOT_ASKED = NotAsked()
TRUTH = np.dtype(np.int16)
"""What True and False are kept as where numbers to add are asked for: a mask of another kind."""

# Largest error allowed, relative to the largest expected entry. Right implementations of the components at the
# sizes used stay below a tenth of these (measured over the fixture suite); the nearest misconception that values
# can show, eps outside the root, is above them because its cases have a small variance.
_TOLERANCE = {2: 2e-2, 4: 1e-4, 8: 1e-8}
COARSE = np.dtype(np.float32)
"""Single precision, as which answers of any type are judged where a small constant is a style and not a mistake."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of one comparison; true when it holds. ``part`` names what of the answer was compared, where not all.

    ``where`` is the index of a difference, and ``which`` the value that it is in, where several are returned.
    """

    ok: bool
    message: str = ""
    expected: Any = None
    got: Any = None
    max_error: float | None = None
    where: tuple[int, ...] = ()
    part: str = ""
    tells: Tells = Tells.FOUND
    which: str = ""

    def __bool__(self) -> bool:
        return self.ok

    @property
    def place(self) -> str | None:
        """Where the difference is, in words."""
        return " at ".join(filter(None, (self.which, str([*self.where]) if self.where else ""))) or None


def tolerance(dtype: np.dtype[Any]) -> float:
    """Largest error allowed for floating ``dtype``, relative to the largest expected entry."""
    return _TOLERANCE.get(dtype.itemsize, 1e-8) if dtype.kind == "f" else 0.0


def as_array(value: Any) -> Array | None:
    """Read an answer as an array: arrays, tensors, numbers and nested lists of numbers; None for anything else."""
    inner = getattr(value, "array", value)
    if isinstance(inner, bool | int | float | np.generic):
        inner = np.asarray(inner)
    if isinstance(inner, np.ndarray):
        return inner if inner.dtype.kind in "biufc" else None
    if isinstance(inner, list | tuple) and inner and not _holds_text(inner):
        try:
            array = np.asarray([as_array(item) for item in inner])
        except ValueError:
            return None
        return array if array.dtype != object else None
    return None


def _holds_text(value: Any) -> bool:
    return isinstance(value, str | dict) or (isinstance(value, list | tuple) and any(map(_holds_text, value)))


def describe(value: Any) -> str:
    """Say in a few words what a value is: ``an array of shape (2, 3)``, ``None``, ``a list of 4``."""
    inner = getattr(value, "array", value)
    if value is None:
        return "None"
    if value is NOT_ASKED:
        return "a value that is not asked for"
    if isinstance(inner, np.ndarray):
        kind = "a tensor" if inner is not value else "an array"
        return (
            f"{kind} of shape {shape_text(inner.shape)} and type {inner.dtype}"
            if inner.ndim
            else f"the number {inner[()]}"
        )
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}: " + ", ".join(describe(item) for item in value[:4])
    if isinstance(value, list | dict):
        return f"a {type(value).__name__} of {len(value)}"
    return f"{type(value).__name__} {value!r:.60}"


def other_kind(got: Any, wanted: str, expected: Any = None) -> Comparison:
    """The comparison with what is ``wanted``, in words, of an answer that is no such thing."""
    return Comparison(False, f"returned {describe(got)}; expected {wanted}", expected, got, tells=Tells.DID)


def shape_text(shape: tuple[int, ...]) -> str:
    """Shape as numpy prints it."""
    return str(tuple(int(size) for size in shape))


def near(got: Any, expected: Any, *, floor: float = 1e-3, dtype: np.dtype[Any] | None = None) -> Comparison:
    """Compare an answer with what is expected; tuples entry by entry, and lists that are no array of numbers.

    ``floor`` is the smallest magnitude that errors are measured against. ``dtype`` is the coarsest floating type
    that took part (an answer computed from float32 input is judged as float32).
    """
    if isinstance(expected, tuple) or (isinstance(expected, list) and _plain(expected) is None):
        return _near_tuple(got, tuple(expected), floor, dtype)
    array, want = as_array(got), _plain(expected)
    if array is None or want is None:
        return other_kind(got, describe(expected), expected)
    if array.shape != want.shape:
        message = f"has shape {shape_text(array.shape)}; expected {shape_text(want.shape)}"
        return Comparison(False, message, want, array)
    if want.dtype.kind == "c":
        array, want = (np.stack([one.real, one.imag], axis=-1) for one in (array, want))
    if want.dtype.kind in "biu" and array.dtype.kind in "biu":
        return _exactly(array, want)
    if array.dtype.kind not in "fiub":
        return Comparison(False, f"has type {array.dtype}; expected real numbers", want, array)
    return _closely(array, want, floor, dtype)


def _plain(expected: Any) -> Array | None:
    """What is expected, as an array of numbers; None for what is none: an answer may be compared with another one."""
    try:
        want = np.asarray(getattr(expected, "array", expected))
    except ValueError:
        return None
    return want if want.dtype.kind in "biufc" else None


def _near_tuple(got: Any, expected: tuple[Any, ...], floor: float, dtype: np.dtype[Any] | None) -> Comparison:
    if not isinstance(got, tuple | list) or len(got) != len(expected):
        return other_kind(got, f"{len(expected)} values", expected)
    for position, (mine, want) in enumerate(zip(got, expected, strict=True)):
        if mine is NOT_ASKED:
            continue
        result = near(mine, want, floor=floor, dtype=dtype)
        if not result and sum(one is not NOT_ASKED for one in got) == 1:
            return result  # the hand-out asks for this one alone
        if not result:
            place = f"value {position + 1} of {len(expected)}"
            return Comparison(
                False,
                f"{place} {result.message}",
                result.expected,
                result.got,
                result.max_error,
                result.where,
                which=" at ".join(filter(None, (place, result.which))),
            )
    return Comparison(True, "", expected, got)


def _exactly(array: Array, want: Array) -> Comparison:
    wrong = np.argwhere(array != want)
    if not len(wrong):
        return Comparison(True, "", want, array)
    where = _index(wrong)
    if want.size == 1:
        return Comparison(False, "differs", want, array, None, where, tells=Tells.OFF)
    return Comparison(False, f"{len(wrong)} of {want.size} entries differ", want, array, None, where)


def _closely(array: Array, want: Array, floor: float, dtype: np.dtype[Any] | None) -> Comparison:
    allowed = max(tolerance(array.dtype), 0.0 if dtype is None else tolerance(dtype), _TOLERANCE[8])
    if want.size and want.dtype.kind in "fiub":
        with np.errstate(invalid="ignore", over="ignore"):
            largest = largest_of(array.astype(np.float64, copy=False) - want)
        # An error that is finite says that both are: most answers are right, and end here.
        if math.isfinite(largest) and largest <= allowed * max(largest_of(want), floor):
            return Comparison(True, "", want, array, largest)
    if not np.isfinite(array).all() and np.isfinite(want).all():
        bad = _index(np.argwhere(~np.isfinite(array)))
        return Comparison(False, f"holds {array[bad]}, which is not a finite number", want, array, None, bad)
    if not want.size:
        return Comparison(True, "", want, array, 0.0)
    scale = max(float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)), floor)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.where(array == want, 0.0, np.abs(array.astype(np.float64) - want))
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), error.shape))
    largest = float(error[worst])
    if largest <= allowed * scale:
        return Comparison(True, "", want, array, largest)
    return Comparison(False, f"differs by up to {largest:.3g}", want, array, largest, worst, tells=Tells.OFF)


def alike(one: Array, other: Array, allowed: float = _TOLERANCE[4]) -> bool:
    """Whether two arrays differ by at most ``allowed`` of the largest entry of ``other``, and are finite alike."""
    if one.shape != other.shape:
        return False
    finite = np.isfinite(other)
    if not np.array_equal(np.isfinite(one), finite):
        return False
    worst = float(np.max(np.abs(one[finite] - other[finite]), initial=0.0))
    return worst <= allowed * max(float(np.max(np.abs(other[finite]), initial=0.0)), 1e-3)


def largest_of(array: Array) -> float:
    """The largest magnitude in an array that is not empty; NaN where it holds one."""
    return float(np.maximum.reduce(np.abs(array), axis=None))  # in half the time of .max()


def _index(places: Array) -> tuple[int, ...]:
    """The first of the places, as an index."""
    return tuple(places[0].tolist())


def slope(result: Callable[[], Any], by: Array, width: float) -> Array:
    """The gradient of a number by the array that it is computed from, by central differences; that is written to."""
    gradient = np.zeros(by.shape)
    with np.errstate(all="ignore"):
        for index in np.ndindex(by.shape):
            kept, ends = by[index], []
            for end in (kept + width, kept - width):
                by[index] = end
                ends.append(float(result()))
            by[index] = kept
            gradient[index] = (ends[0] - ends[1]) / (2 * width)
    return gradient


def rows_sum_to_one(weights: Any, axis: int = -1) -> Comparison:
    """Every slice of ``weights`` along ``axis`` sums to 1 and has no negative entry."""
    array = as_array(weights)
    if array is None or not array.ndim:
        return replace(other_kind(weights, "an array of weights"), got=None)
    if array.dtype.kind == "c":
        return Comparison(False, f"has type {array.dtype}; expected real numbers", None, array)
    if not np.isfinite(array).all():
        bad = _index(np.argwhere(~np.isfinite(array)))
        return Comparison(False, f"holds {array[bad]}, which is not a finite number", None, array, None, bad)
    if (array < 0).any():
        bad = _index(np.argwhere(array < 0))
        return Comparison(False, f"holds the negative weight {array[bad]:.3g}", None, array, None, bad)
    sums = np.asarray(array.astype(np.float64).sum(axis=axis))
    result = near(sums, np.ones_like(sums), dtype=array.dtype if array.dtype.kind == "f" else None)
    if result:
        return Comparison(True, "", result.expected, result.got, result.max_error)
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(np.abs(sums - 1.0))), sums.shape))
    message = f"the weights of a row sum to {sums[worst]:.4g}; expected 1"
    return Comparison(False, message, result.expected, result.got, result.max_error, result.where)


def unchanged(after: Any, before: Any, name: str) -> Comparison:
    """An argument is the same after the call as before, bit for bit."""
    got, want = as_array(after), np.asarray(before)
    same = (
        got is not None
        and got.shape == want.shape
        and bool(np.array_equal(got, want, equal_nan=want.dtype.kind == "f"))
    )
    return Comparison(same, "" if same else f"the argument {name} was changed by the call", before, after)


def same_mask(got: Any, expected: Any) -> Comparison:
    """Compare masks: shape, then True and False against numbers, then entry by entry (minus infinity equals itself)."""
    array, want = as_array(got), np.asarray(expected)
    if array is None or array.shape != want.shape:
        return near(got, want)
    if (array.dtype.kind == "b") != (want.dtype.kind == "b"):
        return Comparison(False, f"has type {array.dtype}; expected {want.dtype}", want, array)
    return near(array, want)
