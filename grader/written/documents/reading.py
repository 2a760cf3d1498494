"""A document by its format: as pandoc's tree, or as blocks."""

from __future__ import annotations

import re
from typing import Any

from grader.written.documents import pandoc, tree, word
from grader.written.paper import Block

ENDINGS = {
    ".tex": "tex", ".md": "md", ".markdown": "md", ".txt": "md", ".html": "html", ".htm": "html", ".docx": "docx",
    ".odt": "odt",
}  # fmt: skip
_SET = re.compile(
    r"<(?:mjx-math\b|g\b(?=[^<>]{0,300}data-mml-node=.math\W))[^<>]{0,300}?data-latex=(?P<q>['\"])(?P<formula>[^<>]{1,2000}?)(?P=q)[^<>]{0,300}>"
)
"""Formulas of a page that was saved after MathJax had set them."""
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def nodes_of(form: str, data: bytes) -> list[Any]:
    """Return the tree of a document. Raises UnreadableSourceError."""
    return pandoc.tree(form, word.checked(form, data) if form in {"docx", "odt"} else data)


def read_blocks(form: str, data: bytes) -> tuple[Block, ...]:
    """Return the blocks of a document of the format ``form``. Raises UnreadableSourceError."""
    return tree.blocks(nodes_of(form, data))


def read_text(form: str, text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in Markdown, LaTeX or HTML. Raises UnreadableSourceError."""
    text = text.replace("\r\n", "\n")
    if form == "md":
        text = _FRONT.sub("", text)
    elif form == "html":
        text = (
            _SET.sub(r"</svg>\\(\g<formula>\\)<svg>", text) if "<svg" in text else _SET.sub(r"\\(\g<formula>\\)", text)
        )
    return read_blocks(form, text.encode("utf-8", "replace"))
