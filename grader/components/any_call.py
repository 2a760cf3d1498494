"""Checks of what holds of a call whatever it computes: arguments stay as they are, answers repeat, rows do not meet."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.component.calls import Call, Wanted, Watched
from grader.component.checks import Found, Oracle
from grader.component.component import Component
from grader.properties import COARSE, Array, as_array, near, unchanged


def leaves_alone(
    component: Component, text: str, name: str = "leaves_arguments_alone", *, on: Wanted = lambda _: True, most: int = 0
) -> None:
    """Check that the caller's arguments are the same after a call."""

    def judge(seen: Watched, **inputs: Any) -> Found:
        compared = (unchanged(after, inputs[name], name) for name, after in seen.after.items() if name in inputs)
        return next((found for found in compared if not found), None)

    component.check(name, text, ask=watched, on=on, most=most, manner=True)(judge)


def answers_twice(
    component: Component,
    text: str = "The same arguments give the same answer in a second call.",
    *,
    on: Wanted = lambda _: True,
    most: int = 3,
) -> None:
    """Check that two equal calls have the same answer, in the first of several values.

    What is no array of finite numbers is another check's business.
    """

    def judge(got: Sequence[Any], **_: Any) -> Found:
        one, again = (value[0] if _are_several(value) else value for value in got)
        first = as_array(one)
        return near(again, first) if first is not None and np.isfinite(first).all() else None

    component.check("answers_the_same_twice", text, ask=twice, on=on, most=most, manner=True)(judge)


def watched(**inputs: Any) -> tuple[Call, ...]:
    """Ask the case and watch arguments and generators."""
    return (Call(inputs, watch=True),)


def twice(**inputs: Any) -> tuple[Call, ...]:
    """Ask the case, and in the same process once more."""
    return (Call(inputs, repeat=2),)


def _are_several(value: Any) -> bool:
    return isinstance(value, tuple | list) and bool(value) and as_array(value) is None


def is_right(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The answer is the right one, in the digits of single precision."""
    return near(got, oracle(**inputs), dtype=COARSE)


def is_floating(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The answer is of floating numbers, whatever went in."""
    array = as_array(got)
    return None if array is not None and array.dtype.kind == "f" else near(got, oracle(**inputs), dtype=COARSE)


def keeps_the_shape(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result has the shape of x: (..., d_model)."""
    array = as_array(got)
    return None if array is not None and array.shape == inputs["x"].shape else near(got, oracle(**inputs), dtype=COARSE)


def first_and_last_alone(x: Array, **others: Any) -> tuple[Call, ...]:
    """Ask the case, and the first and the last row of ``x``, of shape (..., d), each by itself."""
    rows = x.reshape(-1, x.shape[-1])
    return tuple(Call({"x": part, **others}) for part in (x, rows[:1].copy(), rows[-1:].copy()))


def same_alone(got: Any, first: Any, last: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The first and the last row of a result are what they are alone."""
    array, one, other = as_array(got), as_array(first), as_array(last)
    width = inputs["x"].shape[-1]
    if array is None or one is None or other is None or array.shape != inputs["x"].shape or one.size != width:
        return near(got, oracle(**inputs), dtype=COARSE)
    rows = array.reshape(-1, width)
    found = near(rows[0], one.reshape(-1), dtype=COARSE)
    return found if not found or other.size != width else near(rows[-1], other.reshape(-1), dtype=COARSE)
