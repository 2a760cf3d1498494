"""A starter of Python as a notebook: a cell for each thing to write, each checked as it is run."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

FIRST = (
    "# Run this cell first. Every cell that begins with %%grade is then checked as you run it.\n"
    "# Where it says that there is no grader: install it as the course says, and restart the kernel.\n"
    "%load_ext grader"
)


def as_notebook(code: str, title: str) -> str:
    """Return the starter ``code`` as a notebook: its imports, then a cell for each function or class, then the rest."""
    cells = [
        _cell("markdown", f"# {title}\n\nThe hand-out is `handout.md`, beside this notebook."),
        _cell("code", FIRST),
    ]
    cells += [_cell("code", text) for text in _pieces(code)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    made = {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _pieces(code: str) -> Iterator[str]:
    lines = code.splitlines()
    rest: list[str] = []
    before = 0
    for node in ast.parse(code).body:
        start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        text = "\n".join(lines[before : node.end_lineno]).strip("\n")
        before = node.end_lineno or start
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if rest:
                yield "\n".join(rest)
                rest = []
            yield f"%%grade\n{text}"
        else:
            rest.append(text)
    if rest:
        yield "\n".join(rest)


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
