"""Files of word processors before pandoc reads them: what is no such file is refused, and hidden text is taken out."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from grader.written.documents.pandoc import UnreadableSourceError

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
