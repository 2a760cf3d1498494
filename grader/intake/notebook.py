"""A notebook without Jupyter: code cells as chunks of one module, everything else as a lean document.

The number of a cell counts the code cells from the top, starting at 1. Text cells do not count, empty code cells do:
they are boxes on the page as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import UnreadableError
from grader.intake import caps
from grader.intake.caps import shown, too_much_code
from grader.intake.magics import plain_python
from grader.intake.syntax import WORDS, SyntaxFault, parse, words
from grader.intake.text import one_line_end
from grader.model import CodeChunk, Document

_SAVE_AGAIN = "Save it again from Jupyter or Colab (File, Download .ipynb)."


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: ``kind`` is code, markdown or raw; ``number`` counts code cells from 1; ``tags`` are its labels."""

    kind: str
    text: str
    number: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notebook:
    """What a notebook gives: its code, its cells as a document without outputs, and remarks."""

    chunks: tuple[CodeChunk, ...]
    document: Document
    notes: tuple[str, ...]


def read(name: str, data: bytes) -> Notebook:
    """Read a notebook of format 2, 3 or 4.

    A code cell becomes a chunk that may fail; magics become statements that do nothing and keep line numbers. A cell
    with a syntax error stays and is remarked on. Raises UnreadableError where ``data`` is not a notebook.
    """
    label = shown(name)
    content = cells(data, name)
    if sum(words(cell.text) for cell in content if cell.kind == "code") > WORDS:
        raise too_much_code(label)
    chunks: list[CodeChunk] = []
    notes: list[str] = []
    silenced = 0
    for cell in content:
        if cell.kind != "code":
            continue
        plain = plain_python(cell.text)
        silenced += bool(plain.silenced)
        fault = parse(plain.code)
        if isinstance(fault, SyntaxFault):
            place = f"{label}, cell {cell.number}, line {fault.line}"
            notes.append(f"{place}: the cell is not Python ({fault.message}) and does not count; the others do.")
        chunks.append(CodeChunk(plain.code, f"{label}[cell {cell.number}]", cell.number, tolerate=True))
    if silenced:
        notes.append(f"{label}: notebook commands (%, ! and the like) do nothing here; cells with any: {silenced}.")
    return Notebook(tuple(chunks), _lean(label, content), tuple(notes))


def cells(data: bytes, name: str) -> tuple[Cell, ...]:
    """Return the cells of a notebook in order, or raise UnreadableError."""
    content = _json(data, name)
    _refuse_other_language(content, name)
    listed = content.get("cells")
    if listed is None and isinstance(content.get("worksheets"), list):
        sheets = [sheet.get("cells") for sheet in content["worksheets"] if isinstance(sheet, dict)]
        listed = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(listed, list):
        raise UnreadableError("this JSON is not a notebook: it has no cells", shown(name), _SAVE_AGAIN)
    if len(listed) > caps.CELLS:
        raise UnreadableError(
            f"the notebook has more than {caps.CELLS:,} cells", shown(name), "Hand in the work alone."
        )
    found: list[Cell] = []
    number = 0
    for cell in listed:
        if not isinstance(cell, dict):
            continue
        kind = {"heading": "markdown", "html": "markdown"}.get(str(cell.get("cell_type")), str(cell.get("cell_type")))
        number += kind == "code"
        text = _joined(cell.get("input", "") if "source" not in cell else cell["source"])
        found.append(Cell(kind, text, number if kind == "code" else None, _tags(cell)))
    return tuple(found)


def _json(data: bytes, name: str) -> Mapping[str, Any]:
    label = shown(name)
    if not data.strip():
        raise UnreadableError("the notebook is empty", label, _SAVE_AGAIN)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableError("the notebook is UTF-16 text", label, _SAVE_AGAIN)
    # Each object takes some hundred bytes of memory and as few as two in the file.
    if data.count(b"{") + data.count(b"[") > caps.JSON_OBJECTS or data.count(b",") > caps.JSON_ITEMS:
        cure = "Clear its outputs (Edit, Clear all outputs) and save it again."
        raise UnreadableError("the notebook holds too much", label, cure)
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableError("the notebook is not UTF-8 text", label, _SAVE_AGAIN) from None
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UnreadableError(f"the notebook is not JSON (line {line})", label, _SAVE_AGAIN) from None
    if not isinstance(content, dict):
        raise UnreadableError("this JSON is not a notebook: it has no cells", label, _SAVE_AGAIN)
    return content


def _refuse_other_language(content: Mapping[str, Any], name: str) -> None:
    metadata = content.get("metadata")
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        described = metadata.get(key) if isinstance(metadata, dict) else None
        language = described.get(field) if isinstance(described, dict) else None
        if isinstance(language, str) and language and not language.lower().startswith(("python", "ipython")):
            what = f"the notebook is written in {shown(language)}"
            raise UnreadableError(what, shown(name), "Hand in a Python notebook.")


def _joined(source: object) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return one_line_end(source).removesuffix("\n") if isinstance(source, str) else ""


def _tags(cell: Mapping[str, Any]) -> tuple[str, ...]:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()


def _lean(label: str, content: tuple[Cell, ...]) -> Document:
    """Keep every cell's text and tags and drop the outputs, so that written answers can be read from it later."""
    listed = []
    for cell in content:
        kept: dict[str, Any] = {"cell_type": cell.kind, "metadata": {"tags": list(cell.tags)}, "source": cell.text}
        listed.append(kept | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {}))
    whole = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return Document(label, json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"))
