"""The shapes of masks that a solution writes beside their names, in docstrings and comments."""

import ast
import re
from collections.abc import Iterator, Sequence

from grader.learning import words
from grader.learning.definitions import Definition
from grader.model.submission import CodeModule

_GROUP = re.compile(r"[(\[]\s*(\w+(?:\s*,\s*\w+)+)\s*[)\]]")


def fitting(worked: Sequence[str], written: Sequence[tuple[bool, ...]]) -> list[str]:
    """Of the shapes that work those that have as many axes, and a 1 where one is written; all where none is or fits."""
    kept = [shape for shape in worked if tuple(axis == "1" for axis in shape.strip("()").split(", ")) in written]
    return kept or list(worked)


def written(one: Definition, name: str, modules: Sequence[CodeModule]) -> list[tuple[bool, ...]]:
    """Which axes are 1 in each shape that is written behind ``name``: ``mask: (S, T)``, ``# mask: [b, 1, 1, m]``."""
    found = []
    for line in _texts(one, modules):
        behind = re.search(rf"\b{re.escape(name)}\b(.*)", line)
        text, end = (behind.group(1), 0) if behind else ("", 0)
        for at, group in enumerate(_GROUP.finditer(text)):
            if at and words.plain(text[end : group.start()]) not in words.JOINS:
                break  # it is of something else
            found.append(tuple(axis.strip() == "1" for axis in group.group(1).split(",")))
            end = group.end()
    return found


def _texts(one: Definition, modules: Sequence[CodeModule]) -> Iterator[str]:
    """The lines of its docstrings, and its comments."""
    defined = [node for node in ast.walk(one.node) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    for node in defined:
        yield from (ast.get_docstring(node) or "").splitlines()
    chunks = (chunk for module in modules for chunk in module.chunks if chunk.filename == one.file)
    for chunk in chunks:
        lines = chunk.code.splitlines()[one.node.lineno - 1 : one.node.end_lineno]
        yield from (line.partition("#")[2] for line in lines if "#" in line)
