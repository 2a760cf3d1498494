"""Sheets that were filled in a word processor, as the Markdown that they were made from: lines, and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from grader.written.sources import docx, odt

TABLE = f"{odt.OASIS}table:1.0}}"
_MARK = re.compile(r"\W*\[[A-Za-z]\w+\]")
_DEEPEST = 60

Line = Callable[[ET.Element], str]


def from_docx(data: bytes) -> str:
    """Return the text of a .docx, headings and rows of tables marked. Raises UnreadableSourceError."""
    word = docx.WORD
    return _text(docx.opened(data), {word + "p"}, word + "tr", word + "tc", docx.line_of)


def from_odt(data: bytes) -> str:
    """Return the text of an .odt, headings and rows of tables marked. Raises UnreadableSourceError."""
    root, objects = odt.opened(data)
    hidden = odt.hidden_styles(root)
    body = root.find(odt.OFFICE + "body")
    lines = {odt.TEXT + "p", odt.TEXT + "h"}
    return _text(
        root if body is None else body,
        lines,
        TABLE + "table-row",
        TABLE + "table-cell",
        lambda paragraph: odt.line_of(paragraph, objects, hidden),
    )


def _text(root: ET.Element, paragraphs: set[str], row: str, cell: str, line_of: Line) -> str:
    def lines(node: ET.Element, depth: int) -> Iterator[str]:
        for child in node if depth < _DEEPEST else ():
            if child.tag in paragraphs:
                yield line_of(child)
            elif child.tag == row:
                cells = [list(filter(None, lines(part, depth + 1))) for part in child if part.tag == cell]
                if any(_MARK.match(line) for part in cells for line in part):  # a table that only lays out
                    yield from (line for part in cells for line in part)
                else:
                    yield f"| {' | '.join(' '.join(part) for part in cells)} |"
            else:
                yield from lines(child, depth + 1)

    return "\n".join(lines(root, 0))
