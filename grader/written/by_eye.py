"""Sheets that no program reads answers from: why, in words for whoever has to read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from grader.errors import UnreadableError
from grader.intake.notebook import Cell, cells
from grader.intake.text import characters
from grader.model.submission import Document
from grader.written.printed import Printed
from grader.written.word_lists import listed

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".heic", ".tif", ".tiff", ".svg")
NOT_WORK = frozenset({"handout.md", "readme.md", "grader.yaml", "requirements.txt"})
"""Files that lie beside written work and are none."""
_TEXTS = (".md", ".markdown", ".txt", ".rst", ".yaml", ".yml", ".json", ".ipynb", ".ipynb.txt", ".ipynb.json")
_POINT = re.compile(r"\s*[*_(]*(?:(?:[^\W\d_]{1,9}\s?)?\d{1,2}(?:\.\d{1,2})?|[a-z])[*_]*[.):]")
"""1. 2) (a) Q3: 4.1, and Aufgabe 5."""
_FORMS = "answers are read from Markdown, Word, YAML, JSON, notebooks and PDF forms"


def why_unread(document: Document, problem: str = "") -> str:
    """Return why no answers are read from ``document`` and what becomes of it; ``problem`` is what its reader said."""
    name = document.path.lower()
    if name.endswith(PICTURES):
        return "it is a picture. A person looks at it."
    if problem:
        return problem
    if name.endswith(_TEXTS) or (name.endswith((".docx", ".odt")) and not _broken(document)):
        return "no answer stands behind a mark there, as `grader new` writes them. A person reads it."
    if name.endswith(".csv"):
        return "a table is read as the answers of a class, by `grader grade`. A person looks at it."
    if name.endswith(".pdf"):
        return "it is no form whose fields have the names of the questions. A person reads it."
    broken = _broken(document)
    return f"{broken}. Save it again." if broken else f"{_FORMS}. A person reads it."


def without_marks(documents: Iterable[Document], printed: Printed, *, code: bool = False) -> list[Document]:
    """Return the texts among ``documents`` in which somebody may have answered without the marks of the sheet.

    Where ``code`` is asked for, too, a notebook of code is other work, unless its text is like the sheet.
    """
    return [
        document
        for document in documents
        if document.path.lower().endswith((*_TEXTS, ".csv")) and document.data.strip()
        if document.path.lower().rpartition("/")[2] not in NOT_WORK and _has_text(document, printed, code=code)
    ]


def _has_text(document: Document, printed: Printed, *, code: bool) -> bool:
    """Whether a notebook holds more than code, and beside other code more than its story; other files do."""
    if ".ipynb" not in document.path.lower():
        return True
    text = text_of(document)
    other = code and any(cell.kind == "code" and cell.text.strip() for cell in cells_of(document))
    return bool(text) and (not other or is_like_sheet(text, printed) or is_named_sheet(document.path))


def text_of(document: Document) -> str:
    """Return the text of a notebook's cells or of a plain text; nothing of other files."""
    if ".ipynb" in document.path.lower():
        return "\n\n".join(cell.text for cell in cells_of(document) if cell.kind != "code" and cell.text.strip())
    return characters(document.data)[0] if document.path.lower().endswith(_TEXTS) else ""


def is_named_sheet(path: str) -> bool:
    """Whether the name of a file says that it is the worksheet."""
    return not listed("sheet_names").isdisjoint(re.findall(r"[^\W\d_]+", PurePosixPath(path.lower()).stem))


def is_like_sheet(text: str, printed: Printed) -> bool:
    """Whether a text without marks repeats a question of the sheet, or lists points for half of its questions."""
    lines = printed.unwrapped(text).split("\n")
    points = sum(bool(_POINT.match(line)) for line in lines)
    return any(printed.asked(line)[0] for line in lines) or 0 < len(set(printed.asks.values())) <= 2 * points


def cells_of(document: Document) -> Sequence[Cell]:
    """Return the cells of a notebook; none where it is none."""
    try:
        return cells(document.data, document.path) if ".ipynb" in document.path.lower() else ()
    except UnreadableError:
        return ()


def _broken(document: Document) -> str:
    from grader.written.documents.pandoc import UnreadableSourceError
    from grader.written.documents.tree import nodes_of

    form = document.path.lower().rpartition(".")[2]
    if not document.data:
        return "the file is empty"
    if form not in {"docx", "odt"}:
        return ""
    try:
        nodes_of(form, document.data)
    except UnreadableSourceError as error:
        return str(error)
    return ""
