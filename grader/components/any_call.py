"""What holds of a call whatever it computes: arguments stay as they are, answers repeat, positions do not meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.component import Call, Found, Watched
from grader.properties import Array, as_array, near, other_kind, unchanged


def arguments_unchanged(seen: Watched, inputs: Mapping[str, Any]) -> Found:
    """Return what became of the first argument that the call has changed; None where none is."""
    compared = (unchanged(after, inputs[name], name) for name, after in seen.after.items() if name in inputs)
    return next((found for found in compared if not found), None)


def same_twice(got: Sequence[Any]) -> Found:
    """Compare the answers to two equal calls with each other, not with what is right."""
    first = as_array(got[0])
    return near(got[1], first) if first is not None else other_kind(got[0], "an array")


def first_and_last_alone(x: Array, **others: Any) -> tuple[Call, ...]:
    """Ask the case, and the first and the last row of ``x``, of shape (..., d), each by itself."""
    rows = x.reshape(-1, x.shape[-1])
    return tuple(Call({"x": part, **others}) for part in (x, rows[:1].copy(), rows[-1:].copy()))


def as_alone(got: Any, first: Any, last: Any, x: Array) -> Found:
    """Compare the first and the last row of a result with what they are alone; None where the shapes do not allow it.

    ``got`` is for ``x`` of shape (..., d), ``first`` and ``last`` for one row of it, all of the shapes of their x.
    """
    single = np.dtype(np.float32)
    array, one, other = as_array(got), as_array(first), as_array(last)
    if array is None or one is None or other is None or array.shape != x.shape or one.size != x.shape[-1]:
        return None
    rows = array.reshape(-1, array.shape[-1])
    found = near(rows[0], one.reshape(-1), dtype=single)
    return found if not found or other.size != x.shape[-1] else near(rows[-1], other.reshape(-1), dtype=single)
