"""The verdict on a chain such as Var(q·k) = … = d_k, section 3.2.1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from grader.written.formula.chance import is_closed, is_dot, scope_of, world_of
from grader.written.formula.document import Document
from grader.written.formula.kinds import Slip, forms
from grader.written.formula.meant import Line
from grader.written.formula.tree import Node, mapped, sym, walk
from grader.written.formula.values import Value, World, evaluate
from grader.written.formula.verdicts import FormulaVerdict, named, review
from grader.written.formula.work import AN_EVALUATION

_SIZES = (2, 3, 4)
_UNITS = frozenset({0.0, 1.0})
Row = list[Value]


def judge_variance(document: Document, reading: str) -> FormulaVerdict:
    """Judge a chain such as Var(q·k) = … = d_k: every side must have the same value."""
    told = False
    lines = _with_own_names(document.lines)
    numbers = any(side.op == "num" and side.value not in _UNITS for line in lines for side in line.sides)
    for line in lines:
        if line.left == "d_k" or (not line.left and line.sides[0].name == "d_k"):
            continue  # d_k = 64
        if line.left:
            return review("It is not said what this is the variance of.", reading)
        columns = [[_value(document, side, world_of(size)) for size in _SIZES] for side in line.sides]
        about = _about_dot(line.sides, world_of(_SIZES[1]))
        for before, after in pairwise(columns):
            if _equal(before, after):
                continue
            slip = _slip(columns[0], after) if about else None
            if slip:
                return named([slip], reading)
            if document.doubts or numbers or len(lines) < len(document.lines):
                return review("One step does not hold as we read it; a person should look.", reading)
            return FormulaVerdict(
                "different", None, None, "The sides of the equation do not have the same value.", reading
            )
        told = told or (len(columns) > 1 and about and is_closed(line.sides[-1]))
    if told:
        reason = "Every side has the value of the argument in section 3.2.1."
        return FormulaVerdict("equal", None, None, reason, reading)
    return review("It is not said what the variance of the dot product is.", reading)


def _value(document: Document, side: Node, world: World) -> Value:
    scope = scope_of(world)
    try:
        return evaluate(side, scope)
    finally:
        document.work.add(scope.steps[0] + AN_EVALUATION)


def _equal(a: Row, b: Row) -> bool:
    return all(
        np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-9, atol=1e-12) for x, y in zip(a, b, strict=True)
    )


def _about_dot(sides: Sequence[Node], world: World) -> bool:
    """Say whether a chain is about the variance of the dot product, written whole or as a sum of its terms."""
    for part in (part for side in sides for part in walk(side)):
        if part.op == "call" and part.name in {"var", "std"} and is_dot(part[0], world):
            return True
        if part.op == "call" and part.name == "mean" and part[0].op == "^" and is_dot(part[0][0], world):
            return True
        if part.op == "sum" and any(inner.op == "call" and inner.name in {"var", "mean"} for inner in walk(part[0])):
            return True
    return False


def _with_own_names(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with what a student calls s = q·k in the place of s."""
    known = {sym(name) for name in world_of(_SIZES[0]).symbols}
    told = {line.sides[0]: line.sides[1] for line in lines if len(line.sides) == 2 and line.sides[0].op == "sym"}
    own = {name: value for name, value in told.items() if name not in known and not name.parts}
    return [
        line.mapped(lambda side: mapped(side, lambda part: own.get(part, part)))
        for line in lines if line.sides[0] not in own
    ]  # fmt: skip


_CLAIMED = {
    "root": ((1, 1), (1, 0.5)), "one": ((1, 1), (1, 0)), "square": ((1, 1), (1, 2)), "added": ((1, 1), (2, 1)),
    "model": ((1, 1), (5.5, 1)), "inverse": ((1, 1), (1, -1)), "not-squared": ((1, 0), (1, 0.5)),
    "scale": ((1, -1), (1, 0)),
}  # fmt: skip
"""What is true and what is claimed: a factor and the power of d_k."""


def _slip(true: Row, said: Row) -> Slip | None:
    if any(np.ndim(value) for value in (*true, *said)):
        return None
    for name, claim in _CLAIMED.items():
        rows = [[factor * size**power for size in _SIZES] for factor, power in claim]
        if np.allclose(true, rows[0]) and np.allclose(said, rows[1]):  # type: ignore[arg-type]
            return next(slip for slip in forms()["variance"].slips if slip.slots["says"] == name)
    return None
