"""Chains with dots, a_1 + … + a_h or a_1, …, a_h, as a sum or a list over a running index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.written.formula.tree import (
    Add,
    Call,
    Div,
    Dots,
    Mul,
    Neg,
    Node,
    Num,
    Pow,
    Seq,
    Sum,
    Sym,
    Transpose,
    UnreadableError,
    children,
)


def series(items: list[tuple[Node, bool]]) -> Node:
    """Turn a_1 + a_2 + … + a_h into a Sum over its index."""
    terms = [item for item, minus in items if not isinstance(item, Dots) and not minus]
    dots = [position for position, (item, _) in enumerate(items) if isinstance(item, Dots)]
    if len(terms) != len(items) - 1 or dots != [len(items) - 2] or len(terms) < 2:  # noqa: PLR2004
        raise UnreadableError("A sum with dots needs a first and a last term.")
    return spread(terms, joins=False)


def spread(terms: Sequence[Node], *, joins: bool) -> Sum:
    """Return the Sum (or joining) that a_1, a_2, …, a_h stands for; raise UnreadableError where none does."""
    ends: list[Node] = []
    body = _general(terms[0], terms[-1], ends)
    if not ends or any(end != ends[0] for end in ends):
        raise UnreadableError("The dots do not show which index runs.")
    for number, term in enumerate(terms[1:-1], start=2):
        middle: list[Node] = []
        if _general(terms[0], term, middle) != body or any(end != Num(float(number)) for end in middle):
            raise UnreadableError("The terms before the dots do not follow one pattern.")
    return Sum("#", Num(1.0), ends[0], body, joins=joins)


def _general(first: Node, last: Node, ends: list[Node]) -> Node:
    """Put the running index `#` where `first` has 1 and `last` something else."""
    if isinstance(first, Sym) and isinstance(last, Sym) and first.name == last.name and first.index:
        if len(first.index) != len(last.index):
            raise UnreadableError("The first and the last term do not look alike.")
        index = list(first.index)
        for position, (a, b) in enumerate(zip(first.index, last.index, strict=True)):
            if a != b:
                if a != Num(1.0):
                    raise UnreadableError("The dots should start at 1.")
                ends.append(b)
                index[position] = Sym("#")
        return replace(first, index=tuple(index))
    below_first, below_last = children(first), children(last)
    if type(first) is not type(last) or len(below_first) != len(below_last):
        raise UnreadableError("The first and the last term do not look alike.")
    if not below_first:
        if first != last:
            raise UnreadableError("The first and the last term do not look alike.")
        return first
    parts = tuple(_general(a, b, ends) for a, b in zip(below_first, below_last, strict=True))
    return _rebuilt(first, parts)


def _rebuilt(node: Node, parts: tuple[Node, ...]) -> Node:
    match node:
        case Call(options=()):
            return replace(node, args=parts)
        case Seq():
            return Seq(parts)
        case Neg() | Transpose():
            return replace(node, body=parts[0])
        case Add() | Mul() | Div():
            return replace(node, left=parts[0], right=parts[1])
        case Pow():
            return Pow(*parts)
        case _:
            raise UnreadableError("The dots stand in a place that is not understood.")
