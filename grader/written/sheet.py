"""The answers of a filled sheet by their ids: Markdown, plain text, YAML, JSON, tagged notebook cells, PDF forms.

In text an answer stands behind its mark, ``**[speedup_100]** 100×``, or in the lines below it, up to the next mark or
heading. The mark may lose its stars, get backticks, a colon or backslashes from an editor, or be written as a bare
``speedup_100:`` or as ``<!-- id: speedup_100 -->``. Lines that the blank sheet prints are no part of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from grader.model import Document, Section, StudentText

TEXT = (".md", ".markdown", ".txt", ".rst")
DATA = (".yaml", ".yml", ".json")
BY_EYE = (".docx", ".odt", ".html", ".htm", ".pdf", ".tex")
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".heic", ".tif", ".tiff", ".svg")
LONGEST = 20_000
"""Characters of one answer that are read."""

_ID = r"[A-Za-z](?:[A-Za-z0-9 -]|\\?_){0,59}"
_MARK = re.compile(
    rf"^\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(?:\#{{1,6}}\s+)?[*_`]*"
    rf"(?:<!--\s*(?:id\s*[:=]\s*)?(?P<comment>{_ID})\s*-->|\\?\[(?P<bracket>{_ID})\\?\]|(?P<bare>{_ID})(?=[*_`]*\s*[:=]))"
    rf"[*_`]*\s*[:=]?[*_`]*\s*(?P<rest>.*)$"
)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$)")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_BLANKS = re.compile(r"_{3,}|\.{4,}|…{2,}|\?{3,}|-{4,}(?!\|)")
_BARE = re.compile(r"\s*(?:\d+[.)]|[-*+•])?\s*_*\s*")
_ROOM = re.compile(r"^\s*(?:\||(?:\d+[.)]|[-*+])\s*$)")
_NOTHING = re.compile(r"[\s_\-–—….?*`>|:]*")
_OWN_WORDS = re.compile(r"^(?:your answer|answer|antwort|a)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Written:
    """One answer as it was found: its text, its structure where the form has any, and where it stands.

    ``others`` are different answers under the same id.
    """

    text: str
    data: Any = None
    file: str = ""
    line: int = 0
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """All answers of a hand-in by id.

    ``by_eye`` are documents that only a person can read answers from, each named with a mark of its content;
    ``pictures`` are those of them that are pictures, ``files`` the documents that hold marks of the sheet.
    """

    answers: Mapping[str, Written]
    notes: tuple[str, ...]
    by_eye: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()


def read_sheet(documents: Iterable[Document], sections: Sequence[Section], printed: str = "") -> Sheet:
    """Return the answers in ``documents`` to the questions of ``sections``.

    ``printed`` is the blank sheet: its lines are not taken for answers. Nothing is raised: what cannot be read is
    remarked on.
    """
    ids = frozenset(question.id for section in sections for question in section.questions)
    titles = {_slug(q.title): q.id for section in sections for q in section.questions}
    lines = frozenset(_alike(line) for line in printed.splitlines() if line.strip())
    found: list[tuple[str, Written]] = []
    notes: list[str] = []
    by_eye: list[str] = []
    pictures: list[str] = []
    files: set[str] = set()
    for document in documents:
        name = document.path.lower()
        before = len(found)
        if name.endswith(TEXT):
            found += _from_text(document, ids, lines, notes)
        elif name.endswith(DATA):
            found += _from_data(document, ids, titles, notes)
        elif name.endswith((".ipynb", ".ipynb.txt", ".ipynb.json")):
            found += _from_notebook(document, ids, lines)
        elif name.endswith(BY_EYE):
            fields = _from_form(document, ids, notes) if name.endswith(".pdf") else []
            found += fields
            by_eye += [] if fields else [marked(document)]
        elif name.endswith(PICTURES):
            by_eye.append(marked(document))
            pictures.append(document.path)
        if len(found) > before:
            files.add(document.path)
    return Sheet(_merged(found), tuple(notes), tuple(by_eye), tuple(pictures), frozenset(files))


def plain(text: str) -> str:
    """Return an answer without what only a sheet or an editor put there; empty where nothing was written."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"(?<!\\)\\([_*#])", r"\1", _BLANKS.sub(" ", text))  # an editor's backslashes
    text = "\n".join(re.sub(r"^\s*>\s?", "", line).rstrip() for line in text.splitlines()).strip()
    text = _OWN_WORDS.sub("", text)
    while (around := re.fullmatch(r"(\*\*|__|`)(.+)\1", text)) and around.group(1) not in around.group(2):
        text = around.group(2).strip()
    return "" if _NOTHING.fullmatch(text) else text[:LONGEST]


def marked(document: Document) -> str:
    """Return a file's name with a mark of its content, so that what was said of one file is not taken for another's."""
    return f"{document.path} [{sha256(document.data).hexdigest()[:8]}]"


def read_text(document: Document) -> tuple[str, str]:
    """Return a document's text and a remark on its encoding, or an empty one."""
    data = document.data
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), f"{document.path}: read as Windows text, it is not UTF-8."


def _from_text(
    document: Document, ids: frozenset[str], printed: frozenset[str], notes: list[str]
) -> list[tuple[str, Written]]:
    text, remark = read_text(document)
    if remark:
        notes.append(remark)
    return _marked(text, ids, printed, document.path)


def _marked(text: str, ids: frozenset[str], printed: frozenset[str], path: str) -> list[tuple[str, Written]]:
    found: list[tuple[str, Written]] = []
    current, start = "", 0
    gathered: list[str] = []

    def close() -> None:
        if current:
            own = any(_alike(line) not in printed and not _BARE.fullmatch(line) for line in gathered)
            found.append((current, Written(plain("\n".join(gathered)) if own else "", None, path, start)))

    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        name, rest = _mark(line, ids)
        if name:
            close()
            current, start, gathered = name, number, [rest]
        elif _HEADING.match(line):
            close()
            current, gathered = "", []
        elif current and not _FENCE.match(line) and (_ROOM.match(line) or _alike(line) not in printed):
            gathered.append(line)
    close()
    return found


def _alike(line: str) -> str:
    """Return a line for comparison with the printed one: without what an editor adds to it."""
    return " ".join(re.sub(r"[\\*_`>]", "", line).split())


def _mark(line: str, ids: frozenset[str]) -> tuple[str, str]:
    match = _MARK.match(line)
    if not match:
        return "", ""
    name = _id(match["comment"] or match["bracket"] or match["bare"])
    return (name, match["rest"]) if name in ids else ("", "")


def _id(raw: str) -> str:
    return re.sub(r"[\s-]+", "_", raw.replace("\\", "").strip()).lower()


def _slug(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _from_data(
    document: Document, ids: frozenset[str], titles: Mapping[str, str], notes: list[str]
) -> list[tuple[str, Written]]:
    from grader.written.plain_data import load_plain

    text, remark = read_text(document)
    content, twice, problem = load_plain(text, json=document.path.lower().endswith(".json"))
    if problem:
        notes.append(f"{document.path}: {problem}")
        return _marked(text, ids, frozenset(), document.path)  # what can be read line by line is read
    pairs = list(_entries(content, ids, titles))
    notes += [remark] if remark and pairs else []
    repeated = [name for name in twice if _id(name) in ids]
    notes += [f"{document.path}: {name} is given twice; the last one counts." for name in repeated]
    return [(name, Written(plain(_flat(value)), value, document.path)) for name, value in pairs]


def _entries(content: Any, ids: frozenset[str], titles: Mapping[str, str], depth: int = 0) -> Iterable[tuple[str, Any]]:
    """Yield id and value; keys may be ids, ``[id] the question``, or the question's own words (a form's columns)."""
    if not isinstance(content, dict):
        return
    for key, value in content.items():
        bracket = re.search(rf"\[({_ID})\]", str(key))
        name = next((n for n in (_id(str(key)), _id(bracket[1]) if bracket else "") if n in ids), "")
        name = name or titles.get(_slug(str(key)), "")
        if name:
            yield name, value
        elif isinstance(value, dict) and depth < 3:  # noqa: PLR2004 - sections, and a little more
            yield from _entries(value, ids, titles, depth + 1)


def _flat(value: Any) -> str:
    """Return structured answers as the text that a person reads."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {_inline(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"{number}. {_inline(item)}" for number, item in enumerate(value, 1))
    return "" if value is None else str(value)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_inline(item)}" for key, item in value.items())
    return ", ".join(map(_inline, value)) if isinstance(value, list) else "" if value is None else str(value)


def _from_notebook(document: Document, ids: frozenset[str], printed: frozenset[str]) -> list[tuple[str, Written]]:
    """Read cells that are tagged with an id, and marks in the text cells."""
    from grader.errors import UnreadableError
    from grader.intake import notebook

    try:
        cells = notebook.cells(document.data, document.path)
    except UnreadableError:
        return []
    found: list[tuple[str, Written]] = []
    for number, cell in enumerate(cells, 1):
        tagged = next((name for tag in cell.tags if (name := _id(tag.removeprefix("answer:"))) in ids), "")
        place = f"{document.path}, cell {number}"
        if tagged:
            marked = dict(_marked(cell.text, ids, printed, place))
            kept = [line for line in cell.text.split("\n") if _alike(line) not in printed]
            found.append((tagged, marked.get(tagged) or Written(plain("\n".join(kept)), None, place)))
        elif cell.kind != "code":
            found += _marked(cell.text, ids, printed, place)
    return found


def _from_form(document: Document, ids: frozenset[str], notes: list[str]) -> list[tuple[str, Written]]:
    from grader.written.pdf_form import form_fields

    fields, problem = form_fields(document.data)
    if problem:
        notes.append(f"{document.path}: {problem}")
    return [(name, Written(plain(value), None, document.path)) for key, value in fields if (name := _id(key)) in ids]


def _merged(found: Iterable[tuple[str, Written]]) -> dict[str, Written]:
    """Keep one answer an id: an empty one gives way, and different ones are kept beside it."""
    kept: dict[str, Written] = {}
    for name, one in found:
        before = kept.get(name)
        if before is None or not before.text:
            kept[name] = one
        elif one.text and _slug(one.text) != _slug(before.text):
            others = (*before.others, StudentText(one.text))
            kept[name] = Written(before.text, before.data, before.file, before.line, others)
    return kept
