"""What a module returned in the paper's form, and compared with what is expected."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from grader.paper.weights import Array
from grader.properties import COARSE, Comparison, near, other_kind, shape_text


def unwrapped(value: Any, shape: tuple[int, ...]) -> Any:
    """Return the only tensor of the expected shape inside a tuple, list or dict; else the value itself.

    The answer to a matrix may come back as a batch of one: a batch is what the hand-out speaks of.
    """
    items = (
        list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, tuple | list) else None
    )
    array = getattr(value, "array", value)
    if isinstance(array, np.ndarray) and len(shape) == 2 and array.shape == (1, *shape):  # noqa: PLR2004 - a matrix
        return array[0] if array is value else replace(value, array=array[0])
    if items is None:
        return value
    fitting = [item for item in items if getattr(getattr(item, "array", item), "shape", None) == shape]
    return fitting[0] if len(fitting) == 1 else value


def _changed(value: Any, change: Callable[[Array], Array]) -> Any:
    """An answer with another array in it; what holds none stays."""
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray):
        return value
    return change(array) if array is value else replace(value, array=change(array))


def unflattened(value: Any, shape: tuple[int, ...]) -> Any:
    """An answer whose samples and positions share an axis, with an axis for each."""
    flat = (math.prod(shape[:-1]), shape[-1])
    return _changed(value, lambda array: array.reshape(shape) if array.shape == flat else array)


def for_all(value: Any, shape: tuple[int, ...]) -> Any:
    """An answer that is the same for all samples, ``(n, d)`` or with a batch of 1, for each of them."""
    alike = {shape[1:], (1, *shape[1:])}
    return _changed(value, lambda array: np.broadcast_to(array, shape) if array.shape in alike else array)


def turned_index(where: tuple[int, ...]) -> tuple[int, ...]:
    """The index of a difference with its first two axes exchanged, where it has three or more."""
    return (where[1], where[0], *where[2:]) if len(where) > 2 else where  # noqa: PLR2004 - rows alone


def turned(value: Any) -> Any:
    """A sequence-first answer with the batch in front."""
    return _changed(value, lambda array: np.swapaxes(array, 0, 1) if array.ndim > 2 else array)  # noqa: PLR2004 - rows alone


def same(got: Any, expected: Array) -> Comparison:
    """Compare a tensor that came back with what is expected, as float32."""
    inner = getattr(got, "array", None)
    if inner is None and not isinstance(got, np.ndarray):
        return other_kind(got, f"one tensor of shape {shape_text(expected.shape)}", expected)
    device = getattr(got, "device", "cpu")
    if device != "cpu":
        return Comparison(
            False, f"the result is on the device {device}; expected that of the input, cpu", expected, got
        )
    return near(got, expected, dtype=COARSE)


def of_other_type(got: Any) -> str:
    """What is wrong with the type of the numbers that came back for float32 ones; empty for float32 and float64."""
    array = getattr(got, "array", got)
    if not isinstance(array, np.ndarray) or not array.size:
        return ""
    name = "bfloat16" if array.dtype == np.float32 and short(array) else str(array.dtype)
    return "" if name in {"float32", "float64"} else f"has type {name}; expected float32, that of the input"


def short(array: Array) -> bool:
    """Whether numbers have fewer digits than those of float32.

    bfloat16 arrives widened: its numbers have nothing in their lower half, which whole numbers have not either.
    """
    if array.dtype != np.float32:
        return array.dtype == np.float16
    if not np.isfinite(array).all() or not np.any(array != np.round(array)):
        return False
    return not (np.ascontiguousarray(array).view(np.uint32) & 0xFFFF).any()
