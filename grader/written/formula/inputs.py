"""What is called otherwise than in the paper and yet clear: another letter for the input, d_model / h for d_k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from grader.written.formula.lines import Line, mapped, used_names
from grader.written.formula.tree import Add, Call, Div, Mul, Node, Num, Pow, Sym, walk

_INPUTS = frozenset({"h", "H", "x", "z", "Z", "E", "e", "u", "y"})
_PROJECTIONS = frozenset({"W^Q", "W^K", "W^V"})


def usual(kind: str, lines: list[Line]) -> list[Line]:
    """Return the lines with the input called X where it is multiplied by W^Q, and d_model / h called d_k."""
    if kind not in {"attention", "multi_head"}:
        return lines
    sides = [side for line in lines for side in line.sides]
    inputs = {
        part.left.name for side in sides for part in walk(side)
        if isinstance(part, Mul) and isinstance(part.left, Sym) and not part.left.index
        and isinstance(part.right, Sym) and part.right.name in _PROJECTIONS
    }  # fmt: skip
    inputs &= _INPUTS - {line.name for line in lines}
    taken = "X" in used_names(sides)
    widths = {Sym("d_model"), *([Sym("d"), Sym("D")] if kind == "multi_head" else [])}

    def change(part: Node) -> Node:
        if isinstance(part, Sym) and part.name in inputs and not part.index and len(inputs) == 1 and not taken:
            return Sym("X")
        width = isinstance(part, Div) and part.left in widths and part.right in (Sym("h"), Sym("num_heads"))
        return Sym("d_k") if width else part

    return [
        line if line.name == "d_k" else replace(line, sides=tuple(mapped(side, change) for side in line.sides))
        for line in lines
    ]


def holds_of_numbers(line: Line) -> bool:
    """Say whether a line only states what is true of numbers, such as 100^2 = 10000."""
    if line.name is not None or len(line.sides) < 2:  # noqa: PLR2004 - an equation
        return False
    values = [_number(side) for side in line.sides]
    return all(value is not None and math.isclose(value, values[0] or 0.0) for value in values)


def _number(node: Node) -> float | None:
    match node:
        case Num(value=value):
            return value
        case Pow(base=a, exponent=b):
            base, exponent = _number(a), _number(b)
            small = base is not None and exponent is not None and 0 < base <= 1e6 and abs(exponent) <= 8  # noqa: PLR2004
            return float(base**exponent) if small and base is not None and exponent is not None else None
        case Mul(left=a, right=b):
            first, second = _number(a), _number(b)
            return first * second if first is not None and second is not None else None
        case Div(left=a, right=b):
            above, below = _number(a), _number(b)
            return above / below if above is not None and below else None
        case Call(name="sqrt", args=(inner,)):
            inside = _number(inner)
            return math.sqrt(inside) if inside is not None and inside >= 0 else None
        case _:
            return None


def two_layers(tree: Node) -> dict[str, str] | None:
    """Return what x, A, a, B and b of max(0, xA + a)B + b stand for; None where a side has another form."""
    match tree:
        case Add(
            left=Mul(left=Call(name="max" | "relu", args=args), right=Sym(index=()) as second),
            right=Sym(index=()) as out, minus=False,
        ) if args:  # fmt: skip
            inner = [arg for arg in args if arg != Num(0.0)]
        case _:
            return None
    match inner:
        case [
            Add(
                left=Mul(left=Sym(index=()) as x, right=Sym(index=()) as first),
                right=Sym(index=()) as bias,
                minus=False,
            )
        ]:
            names = [x.name, first.name, bias.name, second.name, out.name]
        case _:
            return None
    weights, biases = (first.name, second.name), (bias.name, out.name)
    cased = all(name[0].isupper() for name in weights) and all(name[0].islower() for name in biases)
    own: Sequence[bool] = [
        name.upper() not in weights or weights.index(name.upper()) == at for at, name in enumerate(biases)
    ]
    plain = all(len(name) == 1 for name in names) and len(set(names)) == len(names)
    ordered = weights[0] < weights[1] and biases[0] < biases[1]
    if not (cased and all(own) and plain and ordered):
        return None
    return dict(zip(names, ("x", "W_1", "b_1", "W_2", "b_2"), strict=True))
