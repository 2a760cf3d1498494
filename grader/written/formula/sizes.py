"""What a student says about sizes: d_k = 64, √d_k = 8, d = d_model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from grader.written.formula.errors import FormulaError, UnreadableError
from grader.written.formula.functions import scope_of
from grader.written.formula.kinds import Kind
from grader.written.formula.meant import Line
from grader.written.formula.tree import Node, renamed, sym, used_names
from grader.written.formula.values import World, evaluate
from grader.written.formula.vocabulary import SIZE_NAMES

BASE = {"d_k": 64.0, "d_v": 64.0, "d_model": 512.0, "d_ff": 2048.0, "h": 8.0, "num_heads": 8.0, "warmup": 4000.0}
"""The paper's base model."""


def check_heads(kind: Kind, lines: Sequence[Line]) -> None:
    """Raise UnreadableError where sizes are said to be what they are not: d_k = d_model · h, 4000 wide and 512 long."""
    told = dict(sizes_of(lines))
    if told.get("d_model", 0.0) > told.get("warmup", math.inf):
        raise UnreadableError("The formula may be right, but the model is wider than the warm-up is long.")
    if kind.id == "attention" and told.get("d_k", 0.0) >= BASE["d_model"]:
        raise UnreadableError("The formula may be right, but this is the size of the model; a person should look.")
    for line in lines:
        for side in line.sides if line.name in {"d_k", "d_v"} else ():
            used = used_names([side])
            value = _figure(side, BASE) if "d_model" in used and used & {"h", "num_heads"} else None
            wide = kind.id == "multi_head" and line.sides == (sym("d_model"),)
            if wide or (value is not None and not math.isclose(value, 64.0)):
                raise UnreadableError("The formula may be right, but d_k = d_model / h; a person should look.")


def _figure(tree: Node, sizes: Mapping[str, float]) -> float | None:
    """Return the value of a size that is worked out, or None."""
    try:
        return float(evaluate(tree, scope_of(World(sizes), {})))
    except FormulaError:
        return None


def told_size(lines: list[Line]) -> list[Line]:
    """Let a bare d mean the size that the student says it is: d = d_model is not d_k."""
    for line in lines:
        meant = line.sides[-1]
        bare = line.left.strip("\\").lower() in {"d", "dim"} and meant.op == "sym"
        if bare and meant.name in SIZE_NAMES - {line.name}:
            table = {line.name: meant.name} if line.name else {}
            break
    else:
        return lines
    return [line.mapped(lambda side: renamed(side, table)) for line in lines]


def sizes_of(lines: Sequence[Line]) -> tuple[tuple[str, float], ...]:
    """Return the sizes stated as numbers: d_k = 64, or d_k = d_model / h = 512 / 8."""
    found: dict[str, float] = {}
    for line in lines:
        if line.name in {*SIZE_NAMES, "h", "warmup"} and line.sides and not line.names:
            value = _figure(line.sides[-1], {})
            found |= {line.name: value} if value else {}
    return tuple(sorted((name, value) for name, value in found.items() if value > 0))
