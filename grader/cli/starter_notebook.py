"""A starter of Python as a notebook: a cell for each thing to write, each checked as it is run."""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from grader.intake.notebook import SOLVED, Cell
from grader.intake.syntax import SyntaxFault, parse
from grader.learning.starter import MARK

FIRST = (
    "# Run this cell first. Every cell that begins with %%grade is then checked as you run it.\n"
    "# Where it says that there is no grader: install it as the course says, and restart the kernel.\n"
    "%load_ext grader"
)


HANDOUT = "The hand-out is `handout.md`, beside this notebook."


def as_notebook(code: str, title: str, asked: Collection[str]) -> str:
    """Return the starter ``code`` as a notebook: its imports, then a cell for each function or class, then the rest.

    The cells that define what is ``asked`` for are checked as they run.
    """
    return _notebook([("markdown", f"# {title}\n\n{HANDOUT}"), ("code", FIRST), *_pieces(code)], asked)


def refilled(cells: Sequence[Cell], texts: Mapping[int, str], asked: Collection[str]) -> str:
    """Return a teacher's notebook as the starter: her own text, and ``texts`` in its code cells, by their numbers.

    Cells that hold nothing then go, and so does text that is marked as solution.
    """
    kept = [
        (one.kind, one.text if one.number is None else texts.get(one.number, ""))
        for one in cells
        if SOLVED not in one.tags and (one.number is not None or not MARK.search(one.text))
    ]
    shown = [(kind, text) for kind, text in kept if text.strip()]
    opening = next((at for at, (kind, _) in enumerate(shown) if kind == "code"), len(shown))
    return _notebook([*shown[:opening], ("markdown", HANDOUT), ("code", FIRST), *shown[opening:]], asked)


def _notebook(texts: Iterable[tuple[str, str]], asked: Collection[str]) -> str:
    cells = [
        _cell(kind, f"%%grade\n{text}" if kind == "code" and _defines(text, asked) else text) for kind, text in texts
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    made = {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _defines(text: str, asked: Collection[str]) -> bool:
    tree = parse(text)
    return not isinstance(tree, SyntaxFault) and any(
        isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name in asked for one in tree.body
    )


def _pieces(code: str) -> Iterator[tuple[str, str]]:
    lines = code.splitlines()
    rest: list[str] = []
    before = 0
    for node in ast.parse(code).body:
        start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        text = "\n".join(lines[before : node.end_lineno]).strip("\n")
        before = node.end_lineno or start
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if rest:
                yield "code", "\n".join(rest)
                rest = []
            yield "code", text
        else:
            rest.append(text)
    if rest:
        yield "code", "\n".join(rest)


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
