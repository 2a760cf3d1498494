"""A starter of Python as a notebook: a cell for each thing to write, each checked as it is run."""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from grader.intake.notebook import SOLVED, Cell, cells
from grader.intake.syntax import SyntaxFault, chunk_trees, parse
from grader.learning.starter import MARK, emptied_cells, is_marked, without_hidden
from grader.model.submission import CodeModule, Submission

FIRST = (
    "# Run this cell first. Every cell that begins with %%grade is then checked as you run it.\n"
    "# Where it says that there is no grader: install it as the course says, and restart the kernel.\n"
    "%load_ext grader"
)

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
HANDOUT = "The hand-out is `handout.md`, beside this notebook."


def as_notebook(code: str, title: str, asked: Collection[str]) -> str:
    """Return the starter ``code`` as a notebook: its imports, then a cell for each function or class, then the rest.

    The cells that define what is ``asked`` for are checked as they run.
    """
    pieces = (("code", text) for text in _pieces(code))
    return _notebook([("markdown", f"# {title}\n\n{HANDOUT}"), ("code", FIRST), *pieces], asked)


def own_notebook(solution: Submission, asked: Collection[str]) -> str:
    """Return a teacher's notebook as the starter: her own text, and what is left of its code; empty where it is none.

    Cells that hold nothing then go, and so does text that is marked as solution. Cells that use what is to be written
    stay as they are.
    """
    (module, *others), documents = solution.modules, solution.documents
    own = [one for one in documents if one.path == module.chunks[0].file]
    if others or not own or module.chunks[0].cell is None:
        return ""
    left = {**emptied_cells(module, marked=is_marked(solution)), **dict.fromkeys(_demonstrations(module))}
    kept = [
        (one.kind, _left(one, left))
        for one in cells(own[0].data, own[0].path)
        if SOLVED not in one.tags and (one.number is not None or not MARK.search(one.text))
    ]
    shown = [(kind, text) for kind, text in kept if text.strip()]
    opening = next((at for at, (kind, _) in enumerate(shown) if kind == "code"), len(shown))
    return _notebook([*shown[:opening], ("markdown", HANDOUT), ("code", FIRST), *shown[opening:]], asked)


def _demonstrations(module: CodeModule) -> set[int]:
    """The cells that define nothing and use what the notebook defines, and those that make what such cells read."""
    trees = {chunk.cell or 0: tree for chunk, tree in chunk_trees(module) if without_hidden(chunk.code) == chunk.code}
    defined = {cell: {one.name for one in tree.body if isinstance(one, DEFINITIONS)} for cell, tree in trees.items()}
    names = {cell: [one for one in ast.walk(tree) if isinstance(one, ast.Name)] for cell, tree in trees.items()}
    plain = [cell for cell in trees if not defined[cell]]
    wanted = set().union(*defined.values())
    shown = {cell for cell in plain if wanted & {one.id for one in names[cell]}}
    while True:
        wanted = {one.id for cell in shown for one in names[cell]}
        more = {cell for cell in plain if wanted & {one.id for one in names[cell] if isinstance(one.ctx, ast.Store)}}
        if more <= shown:
            return shown
        shown |= more


def _left(cell: Cell, left: Mapping[int, str | None]) -> str:
    """The text that stays of a cell: all where it is no code, or nothing of it goes."""
    text = None if cell.number is None else left.get(cell.number, "")
    return cell.text if text is None else text


def _notebook(texts: Iterable[tuple[str, str]], asked: Collection[str]) -> str:
    made = [
        _cell(kind, f"%%grade\n{text}" if kind == "code" and _defines(text, asked) else text) for kind, text in texts
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(made)]
    whole = {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _defines(text: str, asked: Collection[str]) -> bool:
    tree = parse(text)
    return not isinstance(tree, SyntaxFault) and any(
        isinstance(one, DEFINITIONS) and one.name in asked for one in tree.body
    )


def _pieces(code: str) -> Iterator[str]:
    """The texts of the cells: each definition with what stands above it, and what stands between them."""
    lines = code.splitlines()
    rest: list[str] = []
    before = 0
    for node in ast.parse(code).body:
        start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        text = "\n".join(lines[before : node.end_lineno]).strip("\n")
        before = node.end_lineno or start
        if isinstance(node, DEFINITIONS):
            yield from ["\n".join(rest)] if rest else []
            rest = []
            yield text
        else:
            rest.append(text)
    yield from ["\n".join(rest)] if rest else []


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
