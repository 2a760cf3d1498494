"""Which looks at a frame are innocent: those that reach no further than the submission's own functions."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.intake.syntax import chunk_trees
from grader.model.submission import CodeModule
from grader.source.project import Use

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CALLED_BY_OTHERS = frozenset({"forward"})
_FURTHER = frozenset({"stack", "trace", "getouterframes", "getinnerframes", "extract_stack", "walk_stack", "f_trace"})


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of a function that looks at its own frame, or at that of another function of the submission."""

    file: str
    cell: int | None
    first: int
    last: int

    def holds(self, use: Use) -> bool:
        """Whether a use lies in it."""
        return use.file == self.file and use.cell == self.cell and self.first <= use.line <= self.last


def innocent(modules: Sequence[CodeModule], asked: Collection[str]) -> tuple[Span, ...]:
    """Return the functions that look at no frame but their own or, called by own code only, that of their caller.

    A base class that saves the arguments of its caller's constructor does so, and a function that prints its own name.
    ``asked`` are the names that are called from outside.
    """
    trees = [(chunk, tree) for module in modules for chunk, tree in chunk_trees(module)]
    called = {name for _, tree in trees for name in _called(tree)}
    return tuple(
        Span(chunk.file, chunk.cell, node.lineno, node.end_lineno or node.lineno)
        for chunk, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, _Function) and _stays(node, node.name in called and not _from_outside(node.name, asked))
    )


def _called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", ""))


def _from_outside(name: str, asked: Collection[str]) -> bool:
    return name in asked or name in _CALLED_BY_OTHERS or name.startswith("__")


def _stays(function: _Function, only_called_here: bool) -> bool:
    """Whether it looks at its own frame, or goes back once at most and is called by own code only."""
    nodes = list(ast.walk(function))
    words = [getattr(node, "attr", getattr(node, "id", "")) for node in nodes]
    if _FURTHER & set(words) or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
        return False
    depths = [_depth(node) for node in nodes if isinstance(node, ast.Call)]
    steps = words.count("f_back") + sum(depths)
    if steps == 0:
        return True
    inside = {id(one) for node in nodes if isinstance(node, ast.While | ast.For) for one in ast.walk(node)}
    looped = any(id(node) in inside and getattr(node, "attr", "") == "f_back" for node in nodes)
    return only_called_here and steps == 1 and not looped


def _depth(call: ast.Call) -> int:
    """How many frames ``sys._getframe(n)`` goes back; many where that is not written down."""
    if getattr(call.func, "attr", getattr(call.func, "id", "")) != "_getframe" or not call.args:
        return 0
    value = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    return value if isinstance(value, int) else 9
