"""Chains with dots, a_1 + … + a_h or a_1, …, a_h, as a sum or a list over a running index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.written.formula.errors import UnreadableError
from grader.written.formula.tree import DOTS, Node, num, sym

_HERE = sym("#")


def series(items: Sequence[Node]) -> Node:
    """Turn a_1 + a_2 + … + a_h into a sum over its index."""
    terms = [item for item in items if item != DOTS]
    if len(terms) != len(items) - 1 or items[-2] != DOTS or len(terms) < 2:
        raise UnreadableError("A sum with dots needs a first and a last term.")
    return spread(terms, op="sum")


def spread(terms: Sequence[Node], op: str = "join") -> Node:
    """Return the sum (or joining) that a_1, a_2, …, a_h stands for; raise UnreadableError where none does."""
    ends: list[Node] = []
    body = _general(terms[0], terms[-1], ends)
    if not ends or any(end != ends[0] for end in ends):
        raise UnreadableError("The dots do not show which index runs.")
    for number, term in enumerate(terms[1:-1], start=2):
        middle: list[Node] = []
        if _general(terms[0], term, middle) != body or any(end != num(number) for end in middle):
            raise UnreadableError("The terms before the dots do not follow one pattern.")
    return Node(op, (body, num(1), ends[0]), "#")


def _general(first: Node, last: Node, ends: list[Node]) -> Node:
    """Put the running index `#` where `first` has 1 and `last` something else."""
    if replace(first, parts=()) != replace(last, parts=()) or len(first.parts) != len(last.parts):
        raise UnreadableError("The first and the last term do not look alike.")
    if first.op != "sym":
        return replace(first, parts=tuple(map(_general, first.parts, last.parts, [ends] * len(first.parts))))
    index = []
    for a, b in zip(first.parts, last.parts, strict=True):
        if a != b and a != num(1):
            raise UnreadableError("The dots should start at 1.")
        ends += [b] * (a != b)
        index.append(a if a == b else _HERE)
    return replace(first, parts=tuple(index))
