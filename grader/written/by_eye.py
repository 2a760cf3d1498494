"""Sheets that no program reads answers from: why, in words for whoever has to read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.errors import UnreadableError
from grader.intake.notebook import Cell, cells
from grader.model.submission import Document

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".heic", ".tif", ".tiff", ".svg")
NOT_WORK = frozenset({"handout.md", "readme.md", "grader.yaml"})
"""Files that lie beside written work and are none."""
_TEXTS = (".md", ".markdown", ".txt", ".rst", ".yaml", ".yml", ".json", ".ipynb", ".ipynb.txt", ".ipynb.json")
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


def without_marks(documents: Iterable[Document]) -> list[Document]:
    """Return the texts among ``documents`` in which somebody may have answered without the marks of the sheet."""
    return [
        document
        for document in documents
        if document.path.lower().endswith((*_TEXTS, ".csv")) and document.data.strip()
        if document.path.lower().rpartition("/")[2] not in NOT_WORK and _has_text(document)
    ]


def _has_text(document: Document) -> bool:
    """Whether a notebook holds more than code; other files do."""
    text = any(cell.kind != "code" and cell.text.strip() for cell in cells_of(document))
    return text or ".ipynb" not in document.path.lower()


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
