"""What a student says about sizes: d_k = 64, √d_k = 8, d = d_model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from grader.written.formula.lines import Line, renamed, used_names
from grader.written.formula.names import DIMENSIONS
from grader.written.formula.tree import Call, Div, Mul, Node, Num, Sym, UnreadableError


def check_heads(kind: str, lines: Sequence[Line]) -> None:
    """Raise UnreadableError where sizes are said to be what they are not: d_k = d_model · h, 4000 wide and 512 long."""
    told = dict(sizes_of(lines))
    if told.get("d_model", 0.0) > told.get("warmup", math.inf):
        raise UnreadableError("The formula may be right, but the model is wider than the warm-up is long.")
    for line in lines:
        if line.name not in {"d_k", "d_v"}:
            continue
        if kind == "multi_head" and line.sides == (Sym("d_model"),):
            raise UnreadableError("The formula may be right, but a head is not as wide as the model.")
        for side in line.sides:
            if used_names([side]) >= {"d_model"} and used_names([side]) & {"h", "num_heads"}:
                value = _figure(side, {"d_model": 512.0, "h": 8.0, "num_heads": 8.0})
                if value is not None and not math.isclose(value, 64.0):
                    raise UnreadableError("The formula may be right, but d_k = d_model / h; a person should look.")


def _figure(tree: Node, sizes: Mapping[str, float]) -> float | None:
    match tree:
        case Num(value=number):
            return number
        case Sym(name=name):
            return sizes.get(name)
        case Call(name="sqrt", args=(inner,)) if (value := _figure(inner, sizes)) is not None:
            return math.sqrt(value) if value >= 0 else None
        case Div(left=a, right=b):
            above, below = _figure(a, sizes), _figure(b, sizes)
            return above / below if above is not None and below else None
        case Mul(left=a, right=b):
            first, second = _figure(a, sizes), _figure(b, sizes)
            return first * second if first is not None and second is not None else None
        case _:
            return None


def told_size(lines: list[Line]) -> list[Line]:
    """Let a bare d mean the size that the student says it is: d = d_model is not d_k."""
    meant = next(
        (
            line.sides[-1]
            for line in lines
            if line.left.strip("\\").lower() in {"d", "dim"} and isinstance(line.sides[-1], Sym)
            and line.sides[-1].name in DIMENSIONS.values() and line.sides[-1].name != line.name
        ),
        None,
    )  # fmt: skip
    if not isinstance(meant, Sym):
        return lines
    name = next(line.name for line in lines if line.left.strip("\\").lower() in {"d", "dim"})
    table = {name: meant.name} if name else {}
    return [replace(line, sides=tuple(renamed(side, table) for side in line.sides)) for line in lines]


def sizes_of(lines: Iterable[Line]) -> tuple[tuple[str, float], ...]:
    """Return the sizes stated as numbers: d_k = 64, or d_k = d_model / h = 512 / 8."""
    found: dict[str, float] = {}
    for line in lines:
        if line.name in {*DIMENSIONS.values(), "h", "warmup"} and line.sides and not line.names:
            match line.sides[-1]:
                case Num(value=value):
                    found[line.name] = value
                case Div(left=Num(value=above), right=Num(value=below)) if below:
                    found[line.name] = above / below
    return tuple(sorted((name, value) for name, value in found.items() if value > 0))
