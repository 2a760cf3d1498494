"""Names that a module defines, where its syntax breaks, and which one was probably meant."""

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.intake.syntax import DEFINITIONS, SyntaxFault, bound_names, imported_names, parse, statements_of
from grader.model.outcome import Location
from grader.model.submission import CodeModule, Submission
from grader.model.text import StudentText

_CLOSE = 0.78
_SHORTEST_PART = 6


@dataclass(frozen=True, slots=True)
class Defined:
    """What kind of thing a name is, ``function``, ``class`` or ``value``, and where it was last defined."""

    kind: str
    location: Location


@dataclass(frozen=True, slots=True)
class Fault:
    """A syntax error: the parser's message and its place."""

    message: str
    location: Location


def defined_names(module: CodeModule) -> dict[str, Defined]:
    """Return the names that a module defines at its top level; the last definition counts. Imports are left out."""
    found: dict[str, Defined] = {}
    for chunk, statement in statements_of(module):
        for name in bound_names(statement):
            found[name] = Defined(_kind(statement), Location(chunk.file, statement.lineno, chunk.cell))
    return found


def binding(module: CodeModule, name: str) -> Location | None:
    """Return the last top-level line of a module that binds or imports ``name``; None for none."""
    found = None
    for chunk, statement in statements_of(module):
        if name in bound_names(statement) or {name, "*"} & set(imported_names(statement)):
            found = Location(chunk.file, statement.lineno, chunk.cell)
    return found


def _kind(statement: ast.stmt) -> str:
    if isinstance(statement, DEFINITIONS):
        return "class" if isinstance(statement, ast.ClassDef) else "function"
    return "function" if isinstance(getattr(statement, "value", None), ast.Lambda) else "value"


def syntax_faults(modules: Iterable[CodeModule]) -> tuple[Fault, ...]:
    """Return the files and cells that are not Python, with the line that says so."""
    found: list[Fault] = []
    for module in modules:
        for chunk in module.chunks:
            tree = parse(chunk.code)
            if isinstance(tree, SyntaxFault):
                found.append(Fault(tree.message, Location(chunk.file, tree.line, chunk.cell)))
    return tuple(found)


def place(modules: Sequence[CodeModule], filename: str, line: int) -> Location | None:
    """Return where a traceback's ``filename`` (``work.ipynb[cell 3]``) and line lie; None for foreign files."""
    for module in modules:
        for chunk in module.chunks:
            if chunk.filename == filename:
                return Location(chunk.file, line, chunk.cell)
    return None


def suggest(missing: str, defined: Iterable[str], taken: Collection[str] = ()) -> str | None:
    """Return the defined name that was probably meant by ``missing``: ``self_atention``, ``selfAttention``; or None.

    ``taken`` are names that are asked for themselves and so mean what they say.
    """
    import difflib

    plain = _plain(missing)
    by_plain = {_plain(name): name for name in sorted(defined, reverse=True) if name not in taken and name != missing}
    if plain in by_plain:
        return by_plain[plain]
    close = difflib.get_close_matches(plain, by_plain, n=1, cutoff=_CLOSE)
    if close:
        return by_plain[close[0]]
    # One name inside the other: stable_softmax, softmax_np; scaled_dot_product.
    inside = [
        other for other in sorted(by_plain, key=lambda other: (abs(len(other) - len(plain)), other))
        if min(len(other), len(plain)) >= _SHORTEST_PART and (other in plain or plain in other)
    ]  # fmt: skip
    return by_plain[inside[0]] if inside else None


_USUAL = {
    "np": "import numpy as np",
    "numpy": "import numpy",
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
}
"""The names under which everybody has what a homework needs, with the line that makes them."""


def package_meant(name: str) -> str:
    """Return the package whose import makes a name, as everybody has it; empty for any other name."""
    line = _USUAL.get(name)
    return line.split()[1].partition(".")[0] if line else ""


def meant_by(name: str, place: Location | None, submission: Submission) -> str:
    """What is to be said of an undefined name: which import is missing, or which name near the line was meant."""
    if package := package_meant(name):
        return f"{package} is not imported: write `{_USUAL[name]}`"
    chunks = [chunk for module in submission.modules for chunk in module.chunks]
    here = next((one for one in chunks if place and (one.filename, one.cell) == (place.file, place.cell)), None)
    tree = parse(here.code) if here else None
    if place is None or not isinstance(tree, ast.Module):
        return ""
    around = [one for one in tree.body if one.lineno <= place.line <= (one.end_lineno or one.lineno)]
    bound = {node.id for one in around for node in ast.walk(one) if isinstance(node, ast.Name) and not _is_read(node)}
    bound |= {node.arg for one in around for node in ast.walk(one) if isinstance(node, ast.arg)}
    close = suggest(name, bound | {defined for module in submission.modules for defined in defined_names(module)})
    return f"did you mean `{close}`?" if close else ""


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def definition(modules: Sequence[CodeModule], name: str) -> Location | None:
    """Return the line on which ``modules`` define the function or class ``name`` for the last time; None for none."""
    begins = re.compile(rf"\s*(?:async\s+def|def|class)\s+{re.escape(name)}\b")
    for module in modules:
        for chunk in reversed(module.chunks):
            lines = chunk.lines
            for number in range(len(lines), 0, -1):
                if begins.match(lines[number - 1]):
                    return Location(StudentText(chunk.filename), number, chunk.cell)
    return None


def innermost(frames: tuple[tuple[str, int, str], ...], submission: Submission) -> Location | None:
    """Return the innermost of the student's own lines in a traceback; None where none of them is theirs."""
    cells = {chunk.filename: chunk.cell for module in submission.modules for chunk in module.chunks}
    for filename, line, _ in reversed(frames):
        if filename in cells:
            return Location(StudentText(filename), int(line), cells[filename])
    return None


def line_at(place: Location | None, submission: Submission) -> str:
    """Return the text of a line of the submission; empty where it cannot be found."""
    if place is None:
        return ""
    for module in submission.modules:
        for chunk in module.chunks:
            if chunk.filename == place.file:
                lines = chunk.lines
                return StudentText(lines[place.line - 1].strip()) if 0 < place.line <= len(lines) else ""
    return ""


def nested_in(name: str, submission: Submission) -> str:
    """Return the class or function inside of which alone ``submission`` defines ``name``; empty for none."""
    return next((around for chunk in submission.chunks if (around := _nested(chunk.code).get(name))), "")


@lru_cache(maxsize=64)
def _nested(code: str) -> Mapping[str, str]:
    """The classes and functions that stand in another one, with the name of the first such."""
    tree, found = parse(code), dict[str, str]()
    for around in () if isinstance(tree, SyntaxFault) else ast.walk(tree):
        if isinstance(around, ast.ClassDef | ast.FunctionDef):
            for inner in around.body:
                if isinstance(inner, ast.ClassDef | ast.FunctionDef):
                    found.setdefault(inner.name, around.name)
    return found


def imported_from(name: str, submission: Submission) -> str:
    """Return the module that a file of ``submission`` imports ``name`` from at its top level; empty for none."""
    for module in submission.modules:
        for _, statement in statements_of(module):
            if isinstance(statement, ast.ImportFrom) and name in imported_names(statement):
                return "." * statement.level + (statement.module or "")
    return ""
