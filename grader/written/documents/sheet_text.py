"""Sheets that were filled in a word processor, as the Markdown that they were made from: lines, and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grader.written.documents import tree
from grader.written.documents.reading import nodes_of

_MARK = re.compile(r"\W*\[[A-Za-z]\w+\]")


def sheet_text(form: str, data: bytes) -> str:
    """Return the text of a .docx or .odt, headings and rows of tables marked. Raises UnreadableSourceError."""
    return "\n".join(_lines(nodes_of(form, data), 0))


def _lines(nodes: Sequence[Any], depth: int) -> Iterator[str]:
    for node in nodes if depth < tree.DEEPEST else ():
        kind, held = node["t"], node.get("c")
        if kind in {"Para", "Plain"}:
            yield tree.words(held, breaks=True, maths="$").strip()
        elif kind == "Header":
            yield f"## {tree.words(held[2], maths='$').strip()}"
        elif kind == "CodeBlock":
            yield held[1]
        elif kind == "Table":
            yield from (line for row in tree.rows(held) for line in _row(row, depth))
        elif kind in {"BulletList", "OrderedList"}:
            for number, item in enumerate(tree.listed(kind, held), 1):
                first, *rest = [*_lines(item, depth + 1)] or [""]
                yield from (f"{number}. {first}" if kind == "OrderedList" else f"- {first}", *rest)
        else:
            for part in tree.parts(node):
                yield from _lines(part, depth + 1)


def _row(row: Sequence[Sequence[Any]], depth: int) -> Iterator[str]:
    cells = [[line for line in _lines(cell, depth + 1) if line] for cell in row]
    if any(_MARK.match(line) for cell in cells for line in cell):  # a table that only lays out
        yield from (line for cell in cells for line in cell)
    else:
        yield f"| {' | '.join(' '.join(cell) for cell in cells)} |"
