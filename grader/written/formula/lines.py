"""One statement as trees, and how trees are changed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from grader.written.formula.tree import Add, Call, Div, Mul, Neg, Node, Pow, Seq, Sum, Sym, Transpose, walk


@dataclass(frozen=True)
class Line:
    """One statement read: the name it defines (or None), the text left of `=`, and its sides as trees."""

    name: str | None
    names: tuple[str, ...]
    left: str
    sides: tuple[Node, ...]
    called: bool = False


def mapped(node: Node, change: Callable[[Node], Node], *, indices: bool = True) -> Node:
    """Return the tree with `change` applied to every node, from the leaves up; to indices only where that is said."""

    def go(part: Node) -> Node:
        return mapped(part, change, indices=indices)

    match node:
        case Sym(index=index):
            done: Node = replace(node, index=tuple(go(part) for part in index)) if indices else node
        case Neg(body=body) | Transpose(body=body):
            done = replace(node, body=go(body))
        case Add(left=a, right=b) | Mul(left=a, right=b) | Div(left=a, right=b):
            done = replace(node, left=go(a), right=go(b))
        case Pow(base=a, exponent=b):
            done = Pow(go(a), go(b))
        case Call(args=args, options=options):
            done = replace(node, args=tuple(map(go, args)), options=tuple((key, go(value)) for key, value in options))
        case Sum(low=low, high=high, body=body):
            done = replace(node, low=low and go(low), high=high and go(high), body=go(body))
        case Seq(items=items):
            done = Seq(tuple(map(go, items)))
        case _:
            done = node
    return change(done)


def in_two_parts(lines: Iterable[Line]) -> bool:
    """Say whether a name is given two values that have nothing to do with each other: one for each case."""
    versions: dict[str, list[Line]] = {}
    for line in lines:
        if line.name and "~" in line.name:
            versions.setdefault(line.name.partition("~")[0], []).append(line)
    return any(
        all(first.name not in used_names(later.sides) for first in found for later in found if later is not first)
        for found in versions.values() if len(found) > 1
    )  # fmt: skip


def renamed(node: Node, table: Mapping[str, str]) -> Node:
    """Return the tree with symbols called otherwise."""

    def change(part: Node) -> Node:
        return replace(part, name=table[part.name]) if isinstance(part, Sym) and part.name in table else part

    return mapped(node, change)


def reversioned(node: Node, table: Mapping[str, str]) -> Node:
    """Return the tree with plain symbols put in place of those that were assigned again."""

    def change(part: Node) -> Node:
        return Sym(table[part.name]) if isinstance(part, Sym) and not part.index and part.name in table else part

    return mapped(node, change)


def used_names(nodes: Iterable[Node]) -> set[str]:
    """Return the names of symbols and calls in trees."""
    return {part.name for node in nodes for part in walk(node) if isinstance(part, Sym | Call)}
