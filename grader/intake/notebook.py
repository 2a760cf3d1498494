"""A notebook without Jupyter: code cells as chunks of one module, everything else as a lean document.

The number of a cell counts the code cells from the top, starting at 1. Text cells do not count, empty code cells do:
they are boxes on the page as well.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.errors import UnreadableError
from grader.intake import caps
from grader.intake.caps import shown, too_much_code
from grader.intake.magics import plain_python, written_file
from grader.intake.naming import imports_in
from grader.intake.syntax import DEFINITIONS, WORDS, SyntaxFault, parse, top_level, words
from grader.intake.text import characters, one_line_end
from grader.model.submission import CodeChunk, Document

SOLVED = "solution"
"""The tag of text that answers a question, as nbgrader's metadata mark it in a teacher's notebook."""
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
    """What a notebook gives: its code, its cells as a document without outputs, remarks.

    ``written`` are the Python files that its cells write (``%%writefile``), by path, each from one cell or more.
    """

    chunks: tuple[CodeChunk, ...]
    document: Document
    notes: tuple[str, ...]
    written: tuple[tuple[str, tuple[CodeChunk, ...]], ...] = ()


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
    files: dict[str, tuple[CodeChunk, ...]] = {}
    silenced = 0
    for cell in content:
        if cell.kind != "code":
            continue
        if file := written_file(cell.text):
            kept = files.get(file.path, ()) if file.appends else ()
            chunk = CodeChunk(file.code, f"{label}[cell {cell.number}]", cell.number, tolerate=True)
            files[file.path] = (*kept, chunk)
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
    notes += _code_in_text(label, content, (*chunks, *(chunk for parts in files.values() for chunk in parts)))
    unread = _unread(label, chunks, files)
    written = tuple((path, parts) for path, parts in files.items() if path not in unread)
    return Notebook(tuple(chunks), _lean(label, content), (*notes, *unread.values()), written)


def _unread(label: str, chunks: Sequence[CodeChunk], files: Mapping[str, tuple[CodeChunk, ...]]) -> Mapping[str, str]:
    """The files that cells write and that are not read, each with a remark: nothing imports them or lacks them."""
    defined = {name for chunk in chunks for name in _defined(chunk.code)}
    everything = [*chunks, *(chunk for parts in files.values() for chunk in parts)]
    imported = {one for chunk in everything for _, module, name in imports_in(chunk.code) for one in (module, name)}
    imported = {part for dotted in imported for part in dotted.split(".")}
    return {
        path: f"{label}, cell {parts[0].cell}: {shown(path)} is not read: no cell imports it or lacks what it defines."
        for path, parts in files.items()
        if path.rpartition("/")[2].removesuffix(".py") not in imported
        and {name for part in parts for name in _defined(part.code)} <= defined
    }


def _code_in_text(label: str, content: tuple[Cell, ...], chunks: Sequence[CodeChunk]) -> Iterator[str]:
    """Say which text cells hold definitions that no code cell has: a cell's kind is changed by one key."""
    defined = {name for chunk in chunks for name in _defined(chunk.code)}
    last = 0
    for cell in content:
        last = cell.number or last
        if cell.kind == "code" or not cell.text.strip():
            continue
        names = [name for text in (cell.text, *_FENCED.findall(cell.text)) for name in _defined(text)]
        if lost := [name for name in dict.fromkeys(names) if name not in defined]:
            place = f"the {'raw' if cell.kind == 'raw' else 'text'} cell after code cell {last}"
            shown_names = ", ".join(lost[:MOST_NAMES])
            yield f"{label}: {place} holds code ({shown(shown_names)}), and text is not run: make it a code cell."


_FENCED = re.compile(r"^```[a-zA-Z0-9]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_NAMES = 5
"""Definitions of one text cell that a remark names."""


def _defined(code: str) -> list[str]:
    """The functions and classes that a text defines at its top level; none where it is not Python."""
    if "def " not in code and "class " not in code:
        return []
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return []
    return [one.name for one in top_level(tree) if isinstance(one, DEFINITIONS)]


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
    # Each object takes some hundred bytes of memory and as few as two in the file.
    if data.count(b"{") + data.count(b"[") > caps.JSON_OBJECTS or data.count(b",") > caps.JSON_ITEMS:
        cure = "Clear its outputs (Edit, Clear all outputs) and save it again."
        raise UnreadableError("the notebook holds too much", label, cure)
    try:
        content = json.loads(characters(data)[0])
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
    if not isinstance(metadata, dict):
        return ()
    tags, of_nbgrader = metadata.get("tags"), metadata.get("nbgrader")
    solved = isinstance(of_nbgrader, dict) and of_nbgrader.get("solution") is True
    listed = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    return (*listed, *([SOLVED] if solved and cell.get("cell_type") == "markdown" else []))


def _lean(label: str, content: tuple[Cell, ...]) -> Document:
    """Keep every cell's text and tags and drop the outputs, so that written answers can be read from it later."""
    listed = []
    for cell in content:
        kept: dict[str, Any] = {"cell_type": cell.kind, "metadata": {"tags": list(cell.tags)}, "source": cell.text}
        listed.append(kept | ({"outputs": [], "execution_count": None} if cell.kind == "code" else {}))
    whole = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return Document(label, json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"))
