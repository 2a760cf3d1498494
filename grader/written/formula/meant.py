"""What says what a name means: “where σ is the softmax”, layers called as in code, LayerNorm spelled out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.written.formula.errors import UnreadableError
from grader.written.formula.rewriting import unicode_folded
from grader.written.formula.tree import NOTHING, Node, call, node, num, sym


@dataclass(frozen=True, slots=True)
class Definition:
    """What the student put behind a name: its index letters or parameters, and its body."""

    names: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Line:
    """One statement read: the name it defines (or None), the text left of `=`, and its sides as trees."""

    name: str | None
    names: tuple[str, ...]
    left: str
    sides: tuple[Node, ...]
    called: bool = False

    def mapped(self, change: Callable[[Node], Node]) -> Line:
        """Return the line with `change` applied to its sides."""
        return replace(self, sides=tuple(map(change, self.sides)))


_FUNCTIONS = {"rectifier": "relu", "rectified linear unit": "relu"}
_GAP = r"[\s}$~]{0,6}"
_SAID = re.compile(
    r"(?:\b(?:where|with|here|and|for|in which)\b|[,;]|\\q?quad\b)(?:\\(?=[\s,;:!])|\\q?quad\b|[\s,;:!{}$~]){0,12}"
    r"(?P<name>\\?(?:sigma|phi|varphi|rho|psi)|[σφϕρψ]|[fgSN]|\\mathcal\s?\{\s?[A-Z]\s?\})\s{0,4}"
    rf"(?:\(\s{{0,4}}(?:\\cdot|·|\.)\s{{0,4}}\))?{_GAP}(?:\\text\s{{0,4}}\{{\s{{0,4}})?"
    r"(?:is|denotes|stands for|means|being|as|=|:=)\s{0,4}(?:the|a)?[\s{}$~]{0,6}"
    r"(?:row[- ]?wise|element[- ]?wise)?[\s{}$~]{0,6}\\?(?:text|mathrm|operatorname)?\s{0,4}\{?\s{0,4}"
    r"(?P<what>softmax|relu|rectifier|rectified linear unit|tanh|sigmoid|gelu|layer\s?norm(?:ali[sz]ation)?)\b"
    rf"(?![\s}}]{{0,4}}\(){_GAP}"
    r"(?:function|activation|operator|over (?:the )?(?:keys|rows?)|by rows?|row by row|\(?ReLU\)?){0,2}[\s}$~.)]{0,9}$",
    re.IGNORECASE,
)
_CLOSE = re.compile(r"(?:[,;.:(\s]|\\q?quad|\\text\s*\{){1,12}\Z")


def named_functions(source: str) -> str:
    """Return `source` with a letter replaced by the function that the closing words say it is."""
    said = _SAID.search(source)
    if said is None:
        return source
    what = said["what"].lower()
    what = "layernorm" if what.startswith("layer") else _FUNCTIONS.get(what, what)
    letter = unicode_folded(said["name"]).strip().lstrip("\\").removeprefix("var")
    if letter.startswith("mathcal"):
        name = rf"\\mathcal\s?\{{\s?{letter.rstrip(' }')[-1]}\s?\}}"
    else:
        name = rf"\\(?:var)?{letter}(?![A-Za-z])|(?<![A-Za-z\\]){letter}(?![A-Za-z_])"
        name += "" if said["name"].isascii() else f"|{said['name']}"
    return re.sub(name, f" {what} ", _CLOSE.sub("", source[: said.start()]))


_LINEAR = r"(?:linear|lin|fc|dense|affine)"
_LAYER = re.compile(
    rf"(?<![A-Za-z_.])(?:self\s?\.\s?)?(?:{_LINEAR}|ff)_?\s?\{{?\s?(?:layer)?_?([12])\s?\}}?\s?(?=\(|\\left)"
    rf"|\\(?:text|mathrm|operatorname|mathsf)\s?\{{\s?{_LINEAR}\s?\}}\s?_\s?\{{?\s?([12])\s?\}}?\s?(?=\(|\\left|\\big)"
    r"|(?<![A-Za-z_.])self\s?\.\s?w_?([12])\s?(?=\()"
    r"|(?<![A-Za-z_.])(?:(?:torch\.)?nn\.)?Linear\(\s?(?:(?:d_?model|512)\s?,\s?(?:d_?ff|2048)|((?:d_?ff|2048)\s?,\s?(?:d_?model|512)))\s?\)\s?(?=\()",
    re.IGNORECASE,
)
_LAYER_NAMES = {"1": "layerone", "2": "layertwo"}
_MAYBE_LAYER = re.compile(r"(?<![A-Za-z_\\])W_?\{?[12]\}?\s?\(\s?[xX]\s?\)", re.IGNORECASE)
_BIAS = re.compile(r"(?<![A-Za-z])b(?:ias)?(?![A-Za-z])")


def called_layers(source: str) -> tuple[str, Mapping[str, Definition]]:
    """Return a feed-forward formula's text with linear_1(x), fc2(x) as functions, and what they are.

    A layer that is called holds its bias: x W_1 + b_1. Raises UnreadableError where W_1(x) may be a call.
    """
    bodies: dict[str, Definition] = {}

    def called(match: re.Match[str]) -> str:
        number = match[1] or match[2] or match[3] or ("2" if match[4] else "1")
        body = node("+", node("*", sym("u"), sym(f"W_{number}")), sym(f"b_{number}"))
        bodies[f"{_LAYER_NAMES[number]}()"] = Definition(("u",), body)
        return f" {_LAYER_NAMES[number]} "

    changed = _LAYER.sub(called, source)
    if not bodies and _MAYBE_LAYER.search(source) and not _BIAS.search(source):
        raise UnreadableError("W_1(x) may be a layer with its bias or a product without one; a person should look.")
    return changed, bodies


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
