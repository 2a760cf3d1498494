"""What is called otherwise than in the paper and yet clear: another letter for the input, d_model / h for d_k."""

from __future__ import annotations

from dataclasses import replace

from grader.written.formula.lines import Line, mapped, used_names
from grader.written.formula.tree import Div, Mul, Node, Sym, walk

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
