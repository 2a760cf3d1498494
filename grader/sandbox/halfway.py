"""A file that fails on its way: it goes on behind the failing statement, as a notebook does behind a failing cell."""

import ast
import dis
import types
from collections.abc import Iterator, Mapping
from typing import Any


class Course:
    """The way of a file through its statements; ``code`` has to be Python (SyntaxError and the like otherwise)."""

    def __init__(self, code: str, filename: str) -> None:
        self._filename = filename
        self._tree = ast.parse(code)
        self._used = _globals(compile(self._tree, filename, "exec", dont_inherit=True), inside=False)
        self._begun = 0
        self._failed: set[int] = set()

    def below(self, line: int, namespace: Mapping[str, Any], *, on_purpose: bool) -> types.CodeType | None:
        """Return what is left to run after a failure at ``line``, as code; None where nothing is.

        Raises LookupError where what was defined before is not what the whole file would have given: the failing
        statement would have changed it. Behind an end ``on_purpose`` only what changes nothing goes on.
        """
        body = self._tree.body
        at = next((n for n in range(self._begun, len(body)) if (body[n].end_lineno or 0) >= line > 0), -1)
        if at < 0 or any(self._counts(name, namespace) for name in _changed(body[at])):
            raise LookupError(line)
        self._failed.add(at)
        self._begun = at + 1
        rest = body[self._begun :]
        if not rest or (on_purpose and any(self._counts(name, namespace) for one in rest for name in _changed(one))):
            return None
        ahead = [one for one in body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
        return compile(ast.Module([*ahead, *rest], []), self._filename, "exec", dont_inherit=True)

    @property
    def binds(self) -> bool:
        """Whether the statement that failed last would have bound a name."""
        return any(_changed(self._tree.body[self._begun - 1]))

    @property
    def defines(self) -> bool:
        """Whether any statement that did not fail defines a function or a class."""
        return any(_defines(one) for n, one in enumerate(self._tree.body) if n not in self._failed)

    def _counts(self, name: str, namespace: Mapping[str, Any]) -> bool:
        return name in namespace and (name in self._used or _defined(namespace[name]))


def _defined(value: object) -> bool:
    """Whether a value is a function, a class or the like: a model that is made of these to be trained is none."""
    return callable(value) and not hasattr(type(value), "forward")


def _defines(statement: ast.stmt) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return any(isinstance(node, kinds) for node in ast.walk(statement))


def _globals(code: types.CodeType, *, inside: bool) -> set[str]:
    """The names that functions of a file may look up outside of themselves."""
    read = (one.argval for one in dis.get_instructions(code) if one.opname in _READS)
    found = set(read) if inside else set()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _globals(inner, inside=True)
    return found


_READS = frozenset(name for name in dis.opname if name.startswith("LOAD_") and ("GLOBAL" in name or "NAME" in name))
"""What looks up a name of the file; the name of an attribute is none."""


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
