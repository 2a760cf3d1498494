"""Loops that may have no end: which of them a line lies in, and whether anything in one can end it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from grader.intake.syntax import SyntaxFault, parse
from grader.model import CodeChunk, CodeModule, Location, StudentText

_HARMLESS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "print", "range", "round", "sum"})
"""Functions that change none of their arguments."""
_LEAVES = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
_PLAIN = (
    ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Call, ast.Load, ast.cmpop,
    ast.boolop, ast.operator, ast.unaryop,
)  # fmt: skip
"""What a condition is made of that names alone decide."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A ``while`` loop: its place, its last line, its condition as written, and whether it can be seen to have no end.

    ``endless`` is ``"left"`` where the condition always holds and nothing leaves the loop, ``"changed"`` where nothing
    in it changes what the condition asks for; empty where that depends.
    """

    place: Location
    end: int
    condition: str
    endless: Literal["left", "changed", ""]


def loops_of(modules: Iterable[CodeModule]) -> tuple[Loop, ...]:
    """Return the ``while`` loops of all files, in order."""
    trees = [
        (chunk, tree)
        for module in modules
        for chunk in module.chunks
        if "while" in chunk.code and not isinstance(tree := parse(chunk.code), SyntaxFault)
    ]
    found = [_loop(chunk, node) for chunk, tree in trees for node in ast.walk(tree) if isinstance(node, ast.While)]
    return tuple(dict.fromkeys(found))


def loops_around(modules: Iterable[CodeModule], lines: Iterable[tuple[str, int]]) -> tuple[Loop, ...]:
    """Return the loops that hold one of the lines of files, in order."""
    asked = tuple(lines)
    return tuple(
        loop
        for loop in loops_of(modules)
        if any(loop.place.file == file and loop.place.line <= line <= loop.end for file, line in asked)
    )


def _loop(chunk: CodeChunk, node: ast.While) -> Loop:
    condition = " ".join((ast.get_source_segment(chunk.code, node.test) or ast.unparse(node.test)).split())
    place = Location(StudentText(chunk.filename), node.lineno, chunk.cell)
    return Loop(place, node.end_lineno or node.lineno, StudentText(condition), _endless(node))


def _endless(loop: ast.While) -> Literal["left", "changed", ""]:
    body = [node for statement in loop.body for node in ast.walk(statement)]
    if any(isinstance(node, _LEAVES) for node in body) or any(_hides(node) for node in body):
        return ""
    if isinstance(loop.test, ast.Constant):
        return "left" if loop.test.value else ""
    test = list(ast.walk(loop.test))
    if not all(isinstance(node, _PLAIN) for node in test) or not all(_harmless(node) for node in test):
        return ""
    names = {node.id for node in test if isinstance(node, ast.Name)} - _HARMLESS
    return "changed" if names and not names & set(_changed(body)) else ""


def _hides(node: ast.AST) -> bool:
    """Whether a statement may change names from elsewhere: what is called there cannot be followed by eye."""
    return isinstance(node, (ast.Global, ast.Nonlocal, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))


def _harmless(node: ast.AST) -> bool:
    return not isinstance(node, ast.Call) or (isinstance(node.func, ast.Name) and node.func.id in _HARMLESS)


def _changed(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names that a loop's body may change: bound, changed in place, handed to others, or known by other names."""
    for node in body:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (ast.Attribute, ast.Starred, ast.Subscript)) and _touches(node):
            yield from _names(node.value)
        elif isinstance(node, ast.Call) and not _harmless(node):
            yield from (name for part in (*node.args, *node.keywords) for name in _names(part))
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and isinstance(node.value, ast.Name):
            yield node.value.id


def _touches(node: ast.Attribute | ast.Starred | ast.Subscript) -> bool:
    """Whether what is behind the node may change by it; reading an entry changes nothing."""
    return not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load))


def _names(node: ast.AST) -> Iterator[str]:
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
