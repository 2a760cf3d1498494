"""The verdict on a chain such as Var(q·k) = … = d_k, section 3.2.1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from grader.written.formula.chance import is_closed, is_dot, scope_of, world_of
from grader.written.formula.document import Document
from grader.written.formula.errors import UnreadableError
from grader.written.formula.kinds import Slip, forms
from grader.written.formula.meant import Line
from grader.written.formula.tree import Node, call, mapped, num, sym, walk
from grader.written.formula.values import Value, World, evaluate
from grader.written.formula.verdicts import FormulaVerdict, named, review
from grader.written.formula.work import AN_EVALUATION

_SIZES = (2, 3, 4)
_SAYS = {"std": "std", "sd": "std", "stddev": "std", "var": "var", "variance": "var"}
_SPREAD = {"sigma", "sigma_q", "sigma_k"}
_LEAST = 2
"""A size of one tells nothing apart."""
_POWERS = (0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -2.0)
Row = list[Value]


def judge_variance(document: Document, reading: str) -> FormulaVerdict:
    """Judge a chain such as Var(q·k) = … = d_k: every side must have the same value."""
    given = [line for line in document.lines if not _only_units(line)]
    lines = _with_own_names(given)
    spread = any(part.name in _SPREAD for part in _parts(lines))
    stated = _stated_size(document)
    if any(_other_setting(line, stated) for line in lines):
        return review("It is said that a variance or mean is another; a person should look.", reading)
    worlds = [world_of(size, spread=spread) for size in _SIZES]
    told = False
    for line in _with_subjects(lines):
        if _only_size(line):
            continue
        if _runs_to_model(line):
            return named([_slip_called("model")], reading)
        columns = [[_value(document, side, world) for world in worlds] for side in line.sides]
        for at in range(1, len(columns)):
            last = spread and at == len(columns) - 1
            if (
                _equal(columns[at - 1], columns[at])
                or (last and _holds_for_one(document, line, at))
                or _holds_at_size(stated, columns[at - 1 : at + 1])
            ):
                continue
            slip = None if spread or not _about_dot(line.sides[:1], worlds[1]) else _slip(columns[0], columns[at])
            if slip is not None and len(line.sides) > 1:
                return named([slip], reading)
            if document.doubts or spread or stated or lines != given:
                return review("One step does not hold as we read it; a person should look.", reading)
            return FormulaVerdict(
                "different", None, None, "The sides of the equation do not have the same value.", reading
            )
        told = told or (len(columns) > 1 and _about_dot(line.sides, worlds[1]) and is_closed(line.sides[-1]))
    if told:
        reason = "Every side has the value of the argument in section 3.2.1."
        return FormulaVerdict("equal", None, None, reason, reading)
    return review("It is not said what the variance of the dot product is.", reading)


def _parts(lines: Sequence[Line]) -> list[Node]:
    return [part for line in lines for side in line.sides for part in walk(side)]


def _value(document: Document, side: Node, world: World) -> Value:
    scope = scope_of(world)
    try:
        return evaluate(mapped(side, _deviation), scope)
    finally:
        document.work.add(scope.steps[0] + AN_EVALUATION)


def _deviation(part: Node) -> Node:
    """Return σ_q as a name of its own."""
    named = part.name == "sigma" and [at.op for at in part.parts] == ["sym"]
    return sym(f"sigma_{part[0].name}") if named else part


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


# ------------------------------------------------------------------------------------------- lines that tell a setting


def _with_own_names(lines: list[Line]) -> list[Line]:
    """Return the lines with what a student calls s = q·k in the place of s."""
    known = {sym(name) for name in world_of(_SIZES[0]).symbols}
    told = {line.sides[0]: line.sides[1] for line in lines if len(line.sides) == 2 and line.sides[0].op == "sym"}
    own = {name: value for name, value in told.items() if name not in known and not name.parts}
    return [
        line.mapped(lambda side: mapped(side, lambda part: own.get(part, part)))
        for line in lines if line.sides[0] not in own
    ]  # fmt: skip


def _other_setting(line: Line, size: float | None) -> bool:
    """Say whether the words give q and k another mean or variance than the paper: with variance 2, so …."""
    first = line.sides[0]
    if len(line.sides) > 1 or first.op != "call" or [part.op for part in first.parts] != ["num"]:
        return False
    usual: Mapping[str, tuple[float | None, ...]] = {"var": (1.0, size), "std": (1.0, size), "mean": (0.0,)}
    return first.name in usual and first[0].value not in usual[first.name]


def _only_units(line: Line) -> bool:
    """Say whether a line only says that the deviations are one: σ_q = σ_k = 1."""
    parts = _parts([line])
    spreads = all(part.op in {"sym", "num", "^"} for part in parts)
    return spreads and any(part.name in _SPREAD for part in parts) and line.sides[-1] == num(1)


def _only_size(line: Line) -> bool:
    return line.left == "d_k" or line.sides[0].name == "d_k"


def _with_subjects(lines: Sequence[Line]) -> list[Line]:
    """Let "so std = …" speak of what the variance before it was taken of."""
    subject: Node | None = None
    out = []
    for line in lines:
        what = _SAYS.get(line.left.lower())
        if what and subject is None:
            raise UnreadableError("It is not said what this is the variance of.")
        out.append(replace(line, sides=(call(what, subject), *line.sides)) if what and subject else line)
        about = [part[0] for part in _parts(out[-1:]) if part.op == "call" and part.name in _SAYS and part.parts]
        subject = subject or next((part for part in about if not is_closed(part)), None)  # not "mean 0, variance 1"
    return out


def _runs_to_model(line: Line) -> bool:
    """Say whether the terms of q·k are counted to d_model: Var(q·k) = Σ_{i=1}^{d_model} … = d_model."""
    model, first = sym("d_model"), line.sides[0]
    whole = first.op == "call" and first.name == "var" and not any(part.op == "sum" for part in walk(first))
    sums = [part for part in _parts([line]) if part.op == "sum"]
    return whole and line.sides[-1] == model and bool(sums) and all(part[2] == model for part in sums)


def _holds_for_one(document: Document, line: Line, at: int) -> bool:
    """Say whether a last step holds where the deviations are one, as in … = d_k σ_q² σ_k² = d_k."""
    rows = [[_value(document, side, world_of(size)) for size in _SIZES] for side in line.sides[at - 1 : at + 1]]
    return at > 1 and _equal(*rows)


def _stated_size(document: Document) -> float | None:
    """Return the d_k that a line states as a number: on a line of its own, or behind d_k in Var(q·k) = d_k = 64."""
    stated = [line.sides[-1] for line in document.lines if _only_size(line) or sym("d_k") in line.sides[:-1]]
    return next((side.value for side in stated if side.op == "num" and side.value >= _LEAST), None)


def _holds_at_size(size: float | None, sides: list[Row]) -> bool:
    """Say whether a step to or from a number holds at the d_k that the student states: Var(q·k) = d_k = 64."""
    powers = [_power(side) for side in sides]
    if size is None or 0.0 not in powers or None in powers:
        return False
    a, b = (
        float(side[0]) * (size / _SIZES[0]) ** power
        for side, power in zip(sides, powers, strict=True)
        if power is not None
    )
    return math.isclose(a, b, rel_tol=1e-9)


def _power(side: Row) -> float | None:
    """Return the power of d_k that a side grows with, or None where it is no such power."""
    if any(np.ndim(value) or value <= 0 for value in side):
        return None
    ratios = {
        power: [float(value) / size**power for value, size in zip(side, _SIZES, strict=True)] for power in _POWERS
    }
    return next((power for power, row in ratios.items() if np.allclose(row, row[0])), None)


# ----------------------------------------------------------------------------------------------------------- slips


def _slip_called(name: str) -> Slip:
    return next(slip for slip in forms()["variance"].slips if slip.slots["says"] == name)


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
            return _slip_called(name)
    return None
