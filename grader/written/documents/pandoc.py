"""Asks pandoc for the tree of a document. It runs confined, and its own sandbox keeps it from other files."""

from __future__ import annotations

import importlib.util
import json
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.sandbox.confined import Bounds, confined

BOUNDS = Bounds(seconds=20, memory=1 << 30, output=32 << 20)
_MATHS = "+tex_math_dollars+tex_math_single_backslash"
_PLAINER = (
    "+lists_without_preceding_blankline-yaml_metadata_block-blank_before_header-blank_before_blockquote-implicit_figures"
    "-smart-subscript-superscript-citations-footnotes-example_lists-fancy_lists"
)
"""Markdown as students write it: what needs a blank line elsewhere, and signs that mean something in pandoc alone."""
FORMATS = {
    "md": f"markdown{_MATHS}{_PLAINER}",
    "tex": "latex+raw_tex",
    "html": f"html{_MATHS}",
    "docx": "docx",
    "odt": "odt",
}
"""Formats by their short names, with what pandoc is told about them."""


class UnreadableSourceError(Exception):
    """The document cannot be read; its text says why, for the report."""


def program() -> str:
    """Return the path of pandoc: the one that comes with the extra, else the system's; empty where there is none."""
    spec = importlib.util.find_spec("pypandoc")
    own = Path(spec.origin).parent / "files" / "pandoc" if spec and spec.origin else None
    return str(own) if own and own.is_file() else shutil.which("pandoc") or ""


@lru_cache(maxsize=16)
def tree(form: str, data: bytes) -> list[Any]:
    """Return the blocks of a document of a known format, as pandoc's JSON has them. Raises UnreadableSourceError."""
    path = program()
    if not path:
        raise UnreadableSourceError(
            "documents are read with the extra [written]: pip install 'attention-grader[written]'"
        )
    ended = confined([path, "--sandbox", "--from", FORMATS[form], "--to", "json"], data, (), BOUNDS)
    if ended.status in {"timeout", "output"} or ended.code < 0 or "heap" in ended.error.lower():
        raise UnreadableSourceError("it takes more time or memory to read than allowed; a person has to look")
    if ended.status != "done":
        raise UnreadableSourceError("it is broken")
    try:
        found = json.loads(ended.output)["blocks"]
    except (ValueError, KeyError, RecursionError):
        raise UnreadableSourceError("it is broken") from None
    return list(found)
