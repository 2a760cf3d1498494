"""What the mask builders share: how a returned mask is read, and the forms that students give it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from grader.component.checks import Evidence, Found
from grader.judging import adapt
from grader.properties import TRUTH, Array, Comparison, as_array, near, other_kind

FLOATS = {
    "additive": frozenset(
        f"{maker}-{slip}"
        for maker in ("causal-mask", "padding-mask", "mask-builder")
        for slip in ("additive-float", "not-boolean")
    )
}
"""What is no mistake where masks of numbers are asked for."""


def inward(value: Any, conventions: Mapping[str, Any]) -> Any:
    """Read a returned mask in the canonical meaning, True = may attend."""
    array = as_array(value)
    return value if array is None else adapt.mask_inward(array, conventions)


def without_axes(value: Any, axes: Any, inputs: Mapping[str, Any]) -> Any:  # noqa: ARG001 - every reader's form
    """Take off the axes of size 1 in front, or the last, where there are ``axes``; another shape is seen as one."""
    return _squeezed(value, 3, 2) if axes == "batch_last" else _squeezed(value, int(axes), 0)


def without_middle_axes(value: Any, axes: Any, inputs: Mapping[str, Any]) -> Any:  # noqa: ARG001 - every reader's form
    """Take off the axes of size 1 behind the batch, where there are ``axes`` in all, or a row for each query."""
    if axes == "queries":
        array = as_array(value)
        square = array is not None and array.ndim == 3 and array.shape[1] == array.shape[2]
        alike = array is not None and square and bool((array == array[:, :1]).all())
        return array[:, 0] if array is not None and alike else _squeezed(value, 3, 1)
    return _squeezed(value, int(axes), 1)


def with_heads(value: Any, axes: Any, inputs: Mapping[str, Any]) -> Any:  # noqa: ARG001 - every reader's form
    """Give masks of three axes one for the heads; one that has four of them is seen to be another."""
    array = as_array(value)
    if array is None or axes == 4 or array.ndim not in {3, 4}:
        return value
    return array[:, None] if array.ndim == 3 else array[..., None]


def _squeezed(value: Any, axes: int, first: int) -> Any:
    array = as_array(value)
    if array is None:
        return value
    off = tuple(range(first, first + axes - 2))
    if array.ndim != axes or any(array.shape[at] != 1 for at in off):
        return array[..., None] if array.ndim == 2 and axes > 2 else array
    return np.squeeze(array, off)


def allowed(got: Any, shape: tuple[int, ...]) -> Array | None:
    """The mask as booleans where it has the right shape and holds numbers; None otherwise."""
    array = as_array(got)
    return None if array is None or array.shape != shape or array.dtype.kind not in "biuf" else np.asarray(array != 0)


def boolean(got: Any, **_: Any) -> Found:
    """The entries are True and False."""
    array = as_array(got)
    if array is None or array.dtype.kind == "b":
        return None if array is not None else other_kind(got, "a mask")
    wanted = None if array.dtype == TRUTH else array != 0  # of which kind of number the hand-out says
    return Comparison(False, f"has type {array.dtype}; expected bool", wanted, array)


def meaning(got: Any, right: Array) -> Found:
    """Whether True means "may attend": neither the exact opposite of the right mask nor something to add to scores."""
    array = as_array(got)
    if array is None or array.shape != right.shape:
        return None  # the shape is another check's business
    if array.dtype.kind == "f" and (array < 0).any():
        return Comparison(False, "holds numbers to add to scores; expected True = may attend", right, array)
    if array.size and bool(((array != 0) != right).all()):
        return Comparison(False, "True and False are exchanged: True should mean may attend", right, array)
    return None


def only(part: Array, got: Any, right: Array) -> Found:
    """Compare the entries that ``part`` picks out."""
    found = allowed(got, right.shape)
    if found is None:
        return near(got, right)
    wrong = part & (found != right)
    if not wrong.any():
        return None
    if np.asarray(got).dtype == TRUTH:
        return boolean(got)
    at = [int(i) for i in np.argwhere(wrong)[0]]
    place = f"row {at[0]}, column {at[1]}" if len(at) == 2 else f"entry {at}"
    text = f"{place} is {found[tuple(at)]}; expected {right[tuple(at)]}"
    return Comparison(False, text, right, found, None, tuple(at))


def as_form(mask: Array, form: str, fill: float) -> Array:
    """The mask in the types that students use: ``bool``, ``int``, ``float``, ``additive``, ``nan`` (0 times -inf)."""
    forms: dict[str, Callable[[], Array]] = {
        "bool": lambda: mask,
        "int": lambda: mask.astype(np.int64),
        "float": lambda: mask.astype(np.float64),
        "additive": lambda: np.where(mask, 0.0, fill),
        "additive inverted": lambda: np.where(mask, fill, 0.0),
        "nan": lambda: ~mask * -np.inf,
    }
    with np.errstate(invalid="ignore"):
        return forms[form]()


def fitted_fill(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The number that blocks in an additive mask."""
    for answer in evidence.answers:
        array = as_array(answer.value) if answer.status == "value" else None
        if array is not None and array.dtype.kind == "f" and (array < 0).any():
            yield {"form": "additive", "fill": float(array.min())}
            return
