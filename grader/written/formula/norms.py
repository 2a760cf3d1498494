"""LayerNorm spelled out: γ ⊙ (z − μ) / √(σ² + ε) + β, with mean and deviation by their letters or as calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.written.formula.meant import Line
from grader.written.formula.tree import NOTHING, Node, call, node, num, sym

_MEAN, _DEVIATION, _VARIANCE = {"mu", "mean", "e"}, {"sigma", "std"}, {"var", "variance"}
_LEARNED, _SMALL = {"gamma", "beta"}, {"epsilon", "delta"}
_LAST = (num(-1), node("neg", num(1)))
_HALVES = (num(0.5), node("/", num(1), num(2)))


def with_norms(lines: Sequence[Line], *, code: bool) -> list[Line]:
    """Return the lines with LayerNorm in the place of what spells it, without those that say what it is made of.

    In code a mean without an axis is that of all samples, and one without keepdims does not fit.
    """
    told = {line.name: line.sides[-1] for line in lines if line.name and not line.names}
    used: set[str] = set()

    def change(part: Node) -> Node:
        inner = _normed(part, told, used, code=code)
        return (
            replace(part, parts=tuple(map(change, part.parts))) if inner is None else call("layernorm", change(inner))
        )

    turned = [line.mapped(change) for line in lines]
    told_too = {line.name for line in turned}
    out = []
    for line in turned:
        spelled = line.called and line.sides == (call("layernorm", *map(sym, line.names)),)
        if spelled and {*line.names} & told_too:  # LayerNorm(z) = …, z = x + …: it is of that z
            out.append(replace(line, name=None, names=(), called=False))
        elif line.name not in used and not (spelled and "norm" in (line.name or "").lower()):
            out.append(line)
    return out


def _normed(tree: Node, told: Mapping[str, Node], used: set[str], *, code: bool) -> Node | None:
    """Return what is normalised, or None; `used` gains the names of the student's own that say how."""

    def learned(part: Node) -> bool:
        return part.op == "sym" and part.name in _LEARNED and part.name not in told

    if tree.op == "+" and learned(tree[1]):
        tree = tree[0]
    above, below = _factors(tree)
    centred = [part for part in above if not learned(part)]
    if len(centred) != 1 or len(above) > 2 or len(below) != 1 or centred[0].op != "-":
        return None
    inner, mean = centred[0].parts
    mine: set[str] = set()

    def says(part: Node, names: set[str]) -> bool:
        if part.op == "sym" and part.name in told:
            mine.add(part.name)
            part = told[part.name]
            return part.op == "call" and says(part, names)
        kept = [value for key, value in part.options if key.startswith("keepdim")]
        axes = [*part.parts[1:], *(value for _, value in part.options if value not in kept)]
        last = all(axis in _LAST for axis in axes) and (bool(axes and kept) or not code)
        return part.name.lower() in names and (part.op == "sym" or (part.op == "call" and part[0] == inner and last))

    def without_small(part: Node) -> Node:
        small = part.op == "+" and (part[1].name in _SMALL or 0 < part[1].value < 0.01)
        return part[0] if small else part

    spread = below[0]
    rooted = spread[0] if spread.name == "sqrt" else spread[0] if spread.op == "^" and spread[1] in _HALVES else NOTHING
    squared = without_small(rooted)
    deviates = says(without_small(spread), _DEVIATION) or says(squared, _VARIANCE)
    deviates = deviates or (squared.op == "^" and squared[1] == num(2) and says(squared[0], _DEVIATION))
    if not (deviates and says(mean, _MEAN)):
        return None
    used |= mine
    return inner


def _factors(tree: Node) -> tuple[list[Node], list[Node]]:
    """Return what a product has above and below its fraction bars."""
    if tree.op not in {"*", "⊙", "/"}:
        return [tree], []
    (a, b), (c, d) = map(_factors, tree.parts)
    return (a + d, b + c) if tree.op == "/" else (a + c, b + d)
