"""Syntax trees of what was handed in: parsed without a warning, a crash or an exception, and never executed."""

import ast
import re
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from grader.model.submission import CodeChunk, CodeModule

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


# A tree takes up to 2 KB a word. This is some eight thousand lines, and keeps a hostile text below 200 MB.
WORDS = 80_000
KEPT = 1 << 15
"""Characters of the longest text whose tree is kept for the next question about it."""
_WORD = re.compile(r"[^\S\n]*+(?:\d[\d.eE]*|\w+|[^\w\s]|\n)")


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """Why there is no tree: the parser's message, and the line, which counts from 1.

    ``deep`` marks a text that may be Python but is nested too deeply to be looked into.
    """

    message: str
    line: int
    deep: bool = False


def parse(code: str) -> ast.Module | SyntaxFault:
    """Return the tree of ``code``, or what is wrong with it."""
    if len(code) > WORDS and words(code) > WORDS:
        return SyntaxFault("the text is too long to be looked into", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _tree(code) if len(code) <= KEPT else ast.parse(code)
        except SyntaxError as error:
            return SyntaxFault(error.msg, error.lineno or 1)
        except ValueError as error:  # null characters
            return SyntaxFault(str(error), 1)
        except (RecursionError, MemoryError):
            return _from_the_ground(code)


def _from_the_ground(code: str) -> ast.Module | SyntaxFault:
    """The same in a thread of its own, so that what can be read does not hang on how deep the caller stands."""
    found: list[ast.Module | SyntaxFault] = []

    def read() -> None:
        try:
            found.append(ast.parse(code))
        except (RecursionError, MemoryError):  # the compiler may have more room than the tree
            found.append(SyntaxFault("nested too deeply", 1, deep=True))

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    return found[0]


@lru_cache(maxsize=4)  # the same few files are asked about for every component, and nobody changes a tree
def _tree(code: str) -> ast.Module:
    return ast.parse(code)


def words(code: str) -> int:
    """Count words, numbers, signs and lines, which bound the size of the tree; the count stops above ``WORDS``."""
    # Blanks go with the word behind them, and none are left at the end: megabytes of them take no long time.
    return sum(1 for _ in islice(_WORD.finditer(code.rstrip()), WORDS + 1))


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run in the module's own namespace, those inside if, for, try and with too."""
    waiting = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, DEFINITIONS):
            waiting.extend(reversed(_inner(statement)))


def chunk_trees(module: CodeModule) -> Iterator[tuple[CodeChunk, ast.Module]]:
    """Yield the chunks that are Python with their trees."""
    for chunk in module.chunks:
        tree = parse(chunk.code)
        if not isinstance(tree, SyntaxFault):
            yield chunk, tree


def statements_of(module: CodeModule) -> Iterator[tuple[CodeChunk, ast.stmt]]:
    """Yield the statements of :func:`top_level` of a whole module, each with its chunk."""
    for chunk, tree in chunk_trees(module):
        yield from ((chunk, statement) for statement in top_level(tree))


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield every statement, those of functions and classes too, in the order of the text; no expressions."""
    waiting = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        waiting.extend(reversed(_inner(statement)))


def outside_functions(root: ast.AST) -> Iterator[ast.AST]:
    """Yield ``root`` and what lies below it, but nothing from the body of a function, lambda or class."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def bound_names(statement: ast.stmt) -> list[str]:
    """Return the names that one top-level statement defines: def, class, or an assignment. Imports are left out."""
    if isinstance(statement, DEFINITIONS):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        targets = []
    return [
        node.id
        for target in targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def imported_names(statement: ast.stmt) -> list[str]:
    """Return the names that an import statement binds."""
    if isinstance(statement, ast.Import):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names]
    return []


def second_name_of(statement: ast.stmt) -> str:
    """Return the first name in the value of ``a = b`` or ``a = b.c.d``; empty for other statements."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _inner(statement: ast.stmt) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found.extend(getattr(statement, field, []))
    for handler in getattr(statement, "handlers", []):
        found.extend(handler.body)
    for case in getattr(statement, "cases", []):
        found.extend(case.body)
    return found
