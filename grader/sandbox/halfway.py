"""A file that breaks off half way: whether what it has defined by then is what it would have been at its end."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from typing import Any


def stands(code: str, line: int, namespace: Mapping[str, Any]) -> bool:
    """Say whether the functions and classes that ``code`` defines above ``line`` stand, although it failed there.

    They do not where the rest, which never ran, binds or changes one of them again, or a name that they use: what is
    judged has to be what the whole file would have given.
    """
    try:
        tree = ast.parse(code)
        used = _globals(compile(tree, "<file>", "exec", dont_inherit=True), inside=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    above = [statement for statement in tree.body if (statement.end_lineno or 0) < line]
    if not any(_defines(statement) for statement in above):
        return False
    rest = tree.body[len(above) :]
    return not any(
        name in namespace and (name in used or callable(namespace[name]))
        for statement in rest
        for name in _changed(statement)
    )


def _defines(statement: ast.stmt) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return any(isinstance(node, kinds) for node in ast.walk(statement))


def _globals(code: types.CodeType, *, inside: bool) -> set[str]:
    """The names that functions of a file may look up outside of themselves."""
    found = set(code.co_names) if inside else set()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _globals(inner, inside=True)
    return found


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The names of the file that a statement binds, deletes, patches (``A.f = g``, ``a[0] = 1``, ``setattr``)."""
    for node in _outside_functions(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield _root(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and node.args:
            yield _root(node.args[0])


def _outside_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _root(node: ast.expr) -> str:
    """The name that ``a.b[0].c`` begins with; empty where it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
