"""Sheets that no program reads answers from: why, in words for whoever has to read them."""

from __future__ import annotations

from grader.model import Document

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".heic", ".tif", ".tiff", ".svg")
_FORMS = "answers are read from Markdown, YAML, JSON, notebooks and PDF forms"


def why_unread(document: Document, problem: str = "") -> str:
    """Return why no answers are read from ``document`` and what becomes of it; ``problem`` is what its reader said."""
    name = document.path.lower()
    if name.endswith(PICTURES):
        return "it is a picture. A person looks at it."
    if problem:
        return problem
    if name.endswith(".pdf"):
        return "it is no form whose fields have the names of the questions. A person reads it."
    broken = _broken(document)
    return f"{broken}. Save it again." if broken else f"{_FORMS}. A person reads it."


def _broken(document: Document) -> str:
    from grader.written.sources import docx, odt

    readers = {".docx": docx.read, ".odt": odt.read}
    reader = readers.get("." + document.path.lower().rpartition(".")[2])
    if not document.data:
        return "the file is empty"
    if reader is None:
        return ""
    try:
        reader(document.data)
    except docx.UnreadableSourceError as error:
        return str(error)
    return ""
