"""Loops that may have no end: which of them a line lies in, and whether anything in one can end it."""

import ast
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

from grader.intake.syntax import SyntaxFault, parse
from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule
from grader.model.text import StudentText

_HARMLESS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "print", "range", "round", "sum"})
"""Functions that change none of their arguments."""
_SIZES = frozenset({"dim", "ndim", "numel", "shape", "size"})
"""Attributes that tell a size: a view of an array shares its values, and has no part in its size."""
_LEAVES = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
_PLAIN = (
    ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Call, ast.Load, ast.cmpop,
    ast.boolop, ast.operator, ast.unaryop,
)  # fmt: skip
"""What a condition is made of that names alone decide."""
_HIDES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Match)
"""What may change names out of sight: a function that is defined in a loop cannot be followed by eye."""
_NEW = (ast.Compare, ast.Constant, ast.JoinedStr, ast.UnaryOp)
"""Expressions whose value is new: nothing that they are made of changes with it."""


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
    found = []
    for chunk, tree in trees:
        nodes = tuple(ast.walk(tree))
        elsewhere = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
        found += [_loop(chunk, node, elsewhere) for node in nodes if isinstance(node, ast.While)]
    return tuple(dict.fromkeys(found))


def loops_around(modules: Iterable[CodeModule], lines: Iterable[tuple[str, int]]) -> tuple[Loop, ...]:
    """Return the loops that hold one of the lines of files, in order."""
    asked = tuple(lines)
    return tuple(
        loop
        for loop in loops_of(modules)
        if any(loop.place.file == file and loop.place.line <= line <= loop.end for file, line in asked)
    )


def _loop(chunk: CodeChunk, node: ast.While, elsewhere: AbstractSet[str]) -> Loop:
    condition = " ".join((ast.get_source_segment(chunk.code, node.test) or ast.unparse(node.test)).split())
    place = Location(StudentText(chunk.filename), node.lineno, chunk.cell)
    return Loop(place, node.end_lineno or node.lineno, StudentText(condition), _endless(node, elsewhere))


def _endless(loop: ast.While, elsewhere: AbstractSet[str]) -> Literal["left", "changed", ""]:
    """Whether a loop can be seen to have no end; ``elsewhere`` are names that functions bind which are not theirs."""
    body = [node for statement in loop.body for node in ast.walk(statement)]
    if any(isinstance(node, (*_LEAVES, *_HIDES)) for node in body):
        return ""
    if isinstance(loop.test, ast.Constant):
        return "left" if loop.test.value else ""
    test = list(ast.walk(_Sized().visit(deepcopy(loop.test))))
    if not all(isinstance(node, _PLAIN) for node in test) or not all(_harmless(node) for node in test):
        return ""
    names = {node.id for node in test if isinstance(node, ast.Name)} - _HARMLESS
    free = not elsewhere & {name.partition(".")[0] for name in names}
    return "changed" if names and free and not names & set(_changed(body)) else ""


class _Sized(ast.NodeTransformer):
    """Puts a name of its own, ``x.size``, in the place of ``len(x)``, ``x.shape[0]``, ``x.size(0)`` and the like."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the node, or the name of the size that it asks for."""
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - {"len"}
        asked = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(asked, ast.Call):
            lent = isinstance(asked.func, ast.Name) and asked.func.id == "len" and len(asked.args) == 1
            asked = ast.Attribute(asked.args[0], "size") if lent else asked.func
        size = isinstance(asked, ast.Attribute) and asked.attr in _SIZES and isinstance(asked.value, ast.Name)
        return ast.Name(f"{names.pop()}.size", ast.Load()) if size and len(names) == 1 else self.generic_visit(node)


def _harmless(node: ast.AST) -> bool:
    return not isinstance(node, ast.Call) or (isinstance(node.func, ast.Name) and node.func.id in _HARMLESS)


def _changed(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names, and sizes, that a loop's body may change: bound, changed in place, handed on, known by other names."""
    for node in body:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield from _whole(node)
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _whole(node.value)
        elif isinstance(node, ast.Call) and not _harmless(node):
            called = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            yield from (
                name for part in (*called, *node.args, *(k.value for k in node.keywords)) for name in _shared(part)
            )
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value:
            yield from _shared(node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            yield from _entries(node.iter)


def _shared(node: ast.AST) -> Iterator[str]:
    """What changes where the value of an expression does: of a view, of the entries of a list, the values alone."""
    if isinstance(node, ast.Name):
        yield from _whole(node)
    elif isinstance(node, ast.Attribute | ast.Subscript):
        yield from _entries(node.value)
    elif isinstance(node, ast.BinOp):
        yield from (
            name for part in (node.left, node.right) if not isinstance(part, ast.Name) for name in _shared(part)
        )
    elif not isinstance(node, _NEW):
        yield from (name for part in ast.iter_child_nodes(node) for name in _shared(part))


def _entries(node: ast.AST) -> Iterator[str]:
    yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _whole(node: ast.AST) -> Iterator[str]:
    yield from (part for name in _entries(node) for part in (name, f"{name}.size"))
