"""Which output of a module depends on which input: what a mask does, to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.component.calls import Case
from grader.component.pictures import grid
from grader.model.outcome import Grid
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

CHANGED = 1e-7
"""A share of the largest output; what moves by less has not moved."""


def seen(subject: Subject, case: Case) -> Grid | None:
    """Return which output moves with which input in the paper and in the mistake that reproduces every answer.

    None where no mistake was found, where the case has no mask, or where both see the same.
    """
    if subject.reading is None or subject.fault is None or case.blocked is None:
        return None
    names = [
        name
        for name, value in case.inputs.items()
        if isinstance(value, np.ndarray) and not np.array_equal(value, case.blocked[0][name])
    ]
    try:
        right = _moves(subject, case, names, subject.reading.knobs)
        mine = _moves(subject, case, names, {**subject.reading.knobs, **subject.fault.knobs})
    except (ValueError, IndexError, KeyError):  # the mistake raises
        return None
    found = grid("seen", right, mine, ("outputs", "inputs"))
    return found if found is not None and found.expected != found.got else None


def _moves(subject: Subject, case: Case, names: list[str], knobs: Knobs) -> Array:
    """Return ``(batch, outputs, inputs)``: 1 where the output at a position moves with the input at one."""
    before = _computed(subject, case.inputs, knobs)
    length = case.inputs[names[0]].shape[1]
    columns = []
    for position in range(length):
        changed = dict(case.inputs)
        for name in names:
            changed[name] = changed[name].copy()
            changed[name][:, position] = changed[name][:, position][..., ::-1] + 1.0
        after = _computed(subject, changed, knobs)
        apart = np.abs(after - before).reshape(*before.shape[:2], -1).max(axis=-1)
        columns.append(apart > CHANGED * np.abs(before).max())
    return np.stack(columns, axis=-1).astype(np.int64)


def _computed(subject: Subject, inputs: Mapping[str, Any], knobs: Knobs) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(subject.compute(inputs, knobs))
