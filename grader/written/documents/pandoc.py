"""Asks pandoc for the tree of a document. It runs confined, and its own sandbox keeps it from other files.

Files of word processors are looked at before: what is no such file is refused, and hidden text is taken out.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
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


MAX_XML = 20 << 20
_CONTENT = {"docx": "word/document.xml", "odt": "content.xml"}
_NAMES = {"docx": "no Word document", "odt": "no Writer document"}
_HIDDEN = re.compile(
    r'<w:vanish(?:\s*/>|>)|<w:color\s[^>]*w:val="(?:ffffff|FFFFFF)"|<w:sz\s[^>]*w:val="[0-3]"|<w:vanish\s+w:val="(?:1|true|on)"'
)
"""Runs that are marked hidden, or white, or smaller than anybody reads."""


def checked(form: str, data: bytes) -> bytes:
    """Return a .docx or .odt that pandoc may read, without hidden runs. Raises UnreadableSourceError."""
    if not data.strip():
        raise UnreadableSourceError("the file is empty")
    content = _CONTENT[form]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            with archive.open(content) as file:
                raw = file.read(MAX_XML + 1)
            _refuse(raw)
            if form == "odt" or not _HIDDEN.search(text := raw.decode("utf-8", "replace")):
                return data
            return _rewritten(archive, content, "".join(_shown(text)).encode())
    except UnreadableSourceError:
        raise
    except KeyError:
        raise UnreadableSourceError(f"it is {_NAMES[form]}") from None
    except Exception:  # noqa: BLE001 - a broken archive makes zipfile raise nearly anything
        raise UnreadableSourceError("it is broken") from None


def _refuse(raw: bytes) -> None:
    if len(raw) > MAX_XML:
        raise UnreadableSourceError(f"its text has more than {MAX_XML >> 20} MB")
    if b"<!DOCTYPE" in raw.upper() or b"<!ENTITY" in raw.upper():
        raise UnreadableSourceError("it declares entities, which are not read")


def _shown(text: str) -> Iterator[str]:
    """Yield the pieces of a document that lie outside hidden runs."""
    at = 0
    for begin in re.finditer(r"<w:r[ >]", text):
        if begin.start() < at:
            continue
        end = text.find("</w:r>", begin.start())
        if end < 0:
            break
        if _HIDDEN.search(text, begin.start(), end):
            yield text[at : begin.start()]
            at = end + len("</w:r>")
    yield text[at:]


def _rewritten(archive: zipfile.ZipFile, content: str, new: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in archive.infolist():
            if entry.filename == content:
                made.writestr(content, new)
            elif entry.filename.endswith((".xml", ".rels")) and entry.file_size <= MAX_XML:
                made.writestr(entry.filename, archive.read(entry))
    return out.getvalue()
