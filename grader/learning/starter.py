"""What students begin with: the solution with every body taken out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from grader.learning.definitions import NOT_PLAIN, returned, value_of
from grader.model import CodeModule, Submission
from grader.source.project import chunk_trees

YOURS = "is yours to write"
GIVEN_AWAY = ("solution", "answer", "key", "reference", "loesung", "corrige")
"""Words in the name of a file that is no student's."""


def starter(submission: Submission, id: str) -> dict[str, str]:
    """The emptied files by name: imports, plain constants, names, arguments and docstrings stay."""
    found = {}
    for module in submission.modules:
        found[file_name(module, submission, id)] = emptied(module)
    return found


def file_name(module: CodeModule, submission: Submission, id: str) -> str:
    """What students call their file: as the solution's, or as the assignment where that would give it away."""
    path = PurePosixPath(module.chunks[0].file)
    if len(submission.modules) > 1:
        return path.with_suffix(".py").as_posix()
    stem = path.stem
    given_away = any(word in stem.lower() for word in GIVEN_AWAY) or not stem.isidentifier()
    return f"{id.replace('-', '_') if given_away else stem}.py"


def emptied(module: CodeModule) -> str:
    """The text of a module without what its functions and methods do."""
    pieces: list[tuple[bool, str]] = []
    constants: set[str] = set()
    for _, tree in chunk_trees(module):
        for statement in tree.body:
            kept = _kept(statement, constants)
            if kept is not None:
                pieces.append((isinstance(statement, ast.FunctionDef | ast.ClassDef), ast.unparse(kept)))
    text = ""
    for at, (defined, piece) in enumerate(pieces):
        around = at and (defined or pieces[at - 1][0])
        text += ("\n\n\n" if around else "\n" if at else "") + piece
    return text + "\n"


def _kept(statement: ast.stmt, constants: set[str]) -> ast.stmt | None:
    """What students see of a statement; ``constants`` are those above it, and what it adds to them."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return statement
    if isinstance(statement, ast.FunctionDef):
        return _empty(statement, statement.name)
    if isinstance(statement, ast.ClassDef):
        body = [kept for item in statement.body if (kept := _in_class(item, statement.name)) is not None]
        return ast.ClassDef(
            statement.name, statement.bases, statement.keywords, body or [ast.Pass()], statement.decorator_list
        )
    if isinstance(statement, ast.Assign | ast.AnnAssign) and (_plain(statement) or _computed(statement, constants)):
        constants |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        return statement
    return None


ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant, ast.Name, ast.Load)


def _computed(statement: ast.Assign | ast.AnnAssign, constants: set[str]) -> bool:
    """Whether it says by arithmetic what follows from constants."""
    nodes = list(ast.walk(statement.value or statement))
    return all(
        isinstance(node, ARITHMETIC) and (not isinstance(node, ast.Name) or node.id in constants) for node in nodes
    )


def _plain(statement: ast.Assign | ast.AnnAssign) -> bool:
    """A constant, or a second name."""
    return isinstance(statement.value, ast.Name) or value_of(statement.value) is not NOT_PLAIN


def _in_class(item: ast.stmt, owner: str) -> ast.stmt | None:
    if isinstance(item, ast.FunctionDef):
        return _empty(item, f"{owner}.{item.name}")
    docstring = isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
    return item if docstring or (isinstance(item, ast.Assign | ast.AnnAssign) and _plain(item)) else None


def _empty(function: ast.FunctionDef, name: str) -> ast.FunctionDef:
    """The function without what it does; the names of several values that it returns stay."""
    several = function.body[-1:] if returned(function) else []
    return ast.copy_location(
        ast.FunctionDef(
            function.name,
            function.args,
            [*_opening(function), *ast.parse(f"raise NotImplementedError({f'{name} {YOURS}'!r})").body, *several],
            function.decorator_list,
            function.returns,
            lineno=function.lineno,
        ),
        function,
    )


def _opening(function: ast.FunctionDef) -> Iterator[ast.stmt]:
    """The docstring, and the call of a parent's constructor."""
    if ast.get_docstring(function) is not None:
        yield function.body[0]
    for statement in function.body:
        if isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("super()."):
            yield statement
