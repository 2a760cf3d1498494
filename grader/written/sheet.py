"""The answers of a filled sheet by their ids: Markdown, plain text, Word, YAML, JSON, tagged notebook cells, PDF forms.

In text an answer stands behind its mark, ``**[speedup_100]** 100×``, or in the lines below it, up to the next mark or
heading. The mark may lose its stars, get backticks, a colon or backslashes from an editor, or be written as a bare
``speedup_100:`` or as ``<!-- id: speedup_100 -->``. Lines that the blank sheet prints are no part of an answer; what
is filled into their blanks, or stands between a question and its mark, is the answer where none stands behind the mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple

from grader.intake.text import characters
from grader.model.assignment import Section
from grader.model.submission import Document
from grader.model.text import StudentText
from grader.written.by_eye import PICTURES, cells_of, why_unread, without_marks
from grader.written.printed import Printed
from grader.written.question_names import ID, LONG, Names, Typed, plain_id, remarks, slug

TEXT = (".md", ".markdown", ".txt", ".rst")
DATA = (".yaml", ".yml", ".json")
BY_EYE = (".docx", ".odt", ".html", ".htm", ".pdf", ".tex")
LONGEST = 20_000
"""Characters of one answer that are read."""

_MARK = re.compile(
    rf"^\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(?:\#{{1,6}}\s+)?[*_`]*"
    rf"(?:<!--\s*(?P<id>id\s*[:=]\s*)?(?P<comment>{ID})\s*-->|(?P<open>\\?\[)(?P<bracket>{ID})\\?\](?!\()|(?P<bare>{ID})(?=[*_`]*\s*[:=]))"
    rf"[*_`]*\s*[:=]?[*_`]*\s*(?P<rest>.*)$"
)
_STARRED = re.compile(rf"(?:\*\*|__|`)\s*\\?\[{ID}\\?\]\s*(?:\*\*|__|`)")
_TRAILING = re.compile(rf"^(?P<before>.*\S)\s*(?:\*\*|__|`)\[(?P<id>{ID})\](?:\*\*|__|`)\s*:?\s*(?P<rest>.*)$")
_DRESSED = re.compile(r"</?(?:b|strong|u|i|em|p|span)\b[^<>]{0,80}>|\\(?=[*`])", re.IGNORECASE)
_BARE_MARK = re.compile(rf"\s*(?:[-*+]\s+|\d+[.)]\s+)?{ID}\s*[:=]")
SHORTEST = 4
"""Letters of a mistyped name between stars: ``**[Q]**`` is a matrix."""
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$)")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_BLANKS = re.compile(r"_{3,}|\.{4,}|…{2,}|\?{3,}|-{4,}(?!\|)")
_BARE = re.compile(r"\s*(?:\d+[.)]|[-*+•])?\s*_*\s*")
_ORDINAL = re.compile(r"\s*(?!1\.)\d+\.\s*")
"""Beside its mark the second, in German; the room of a list begins at one."""
_ROOM = re.compile(r"^\s*(?:\||(?:\d+[.)]|[-*+])\s*$)")
_NOTHING = re.compile(r"[\s_\-–—….?*`>|:]*")
_OWN_WORDS = re.compile(
    r"^[*_]*(?:(?:your|my) answer|answer|(?:meine )?antwort|a)\s*(?::[*_]*|[*_]+:)\s*", re.IGNORECASE
)


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


class Sheet(NamedTuple):
    """All answers of a hand-in by id.

    ``by_eye`` are documents that only a person can read answers from, each named with a mark of its content;
    ``unread`` says why the first of them is not read, ``pictures`` are those of them that are pictures, ``files`` the
    documents that hold marks of the sheet.
    """

    answers: Mapping[str, Written]
    notes: tuple[str, ...]
    by_eye: tuple[str, ...] = ()
    unread: str = ""
    pictures: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()


class Entry(NamedTuple):
    """An answer to the question ``name``; ``typed`` is what stood there where that is no question's name.

    Without a ``name`` nothing tells which question is meant.
    """

    name: str
    written: Written
    typed: str = ""


def read_sheet(
    documents: Sequence[Document], sections: Sequence[Section], printed: str = "", *, code: bool = False
) -> Sheet:
    """Return the answers in ``documents`` to the questions of ``sections``.

    ``printed`` is the blank sheet: its lines are not taken for answers. Where ``code`` is asked for beside it, a
    notebook of code is no sheet unless it is like one. Nothing is raised: what cannot be read is remarked on.
    """
    names = Names.of(sections)
    lines = Printed.of(printed)
    found: list[Entry] = []
    notes: list[str] = []
    by_eye: list[Document] = []
    files: set[str] = set()
    problems: dict[str, str] = {}
    for document in documents:
        name = document.path.lower()
        new: list[Entry] = []
        if name.endswith(TEXT):
            new = _from_text(document, names, lines, notes)
        elif name.endswith(DATA):
            new = _from_data(document, names, notes)
        elif name.endswith((".ipynb", ".ipynb.txt", ".ipynb.json")):
            new = _from_notebook(document, names, lines)
        elif name.endswith(BY_EYE):
            new, problem = (
                _from_form(document, names) if name.endswith(".pdf") else (_from_word(document, names, lines), "")
            )
            problems |= {document.path: problem} if problem else {}
            by_eye += [] if any(entry.name for entry in new) else [document]
        elif name.endswith(PICTURES):
            by_eye.append(document)
        if any(entry.name for entry in new):
            files.add(document.path)
        else:  # a file without an answer is other work: what is near to a name may still be meant for one
            new = [entry for entry in new if names.nearest(entry.typed)]
        found += new
    answers, typed = _settled([_without_question(entry, lines) for entry in found], names)
    by_eye = by_eye or ([] if answers else without_marks(documents, lines, code=code))
    first = next(iter(by_eye), None)
    why = f"{first.path}: {why_unread(first, problems.pop(first.path, ''))}" if first and not answers else ""
    notes += [f"{path}: {problem}" for path, problem in problems.items()]
    pictures = tuple(document.path for document in by_eye if document.path.lower().endswith(PICTURES))
    named = tuple(marked(document) for document in by_eye)
    return Sheet(answers, (*notes, *remarks(typed)), named, why, pictures, frozenset(files))


def plain(text: str) -> str:
    """Return an answer without what only a sheet or an editor put there; empty where nothing was written."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"(?<!\\)\\([_*#])", r"\1", _BLANKS.sub(" ", text))  # an editor's backslashes
    text = "\n".join(re.sub(r"^\s*>\s?", "", line).rstrip() for line in text.splitlines()).strip()
    for _ in range(2):  # **Answer: 1** or **Answer:** **1**
        while (around := re.fullmatch(r"(\*\*|__|`)(.+)\1", text)) and around.group(1) not in around.group(2):
            text = around.group(2).strip()
        text = _OWN_WORDS.sub("", text)
    return "" if _NOTHING.fullmatch(text) else text[:LONGEST]


def marked(document: Document) -> str:
    """Return a file's name with a mark of its content, so that what was said of one file is not taken for another's."""
    return f"{document.path} [{sha256(document.data).hexdigest()[:8]}]"


def read_text(document: Document) -> tuple[str, str]:
    """Return a document's text and a remark on its encoding, or an empty one."""
    text, kind = characters(document.data)
    return text, f"{document.path}: read as {kind}, it is not UTF-8." if kind else ""


def _from_text(document: Document, names: Names, printed: Printed, notes: list[str]) -> list[Entry]:
    text, remark = read_text(document)
    if remark:
        notes.append(remark)
    return _marked(text, names, printed, document.path)


def _without_question(entry: Entry, printed: Printed) -> Entry:
    """Return an answer without the words of its own question."""
    written = entry.written
    if not entry.name or isinstance(written.data, dict | list):
        return entry
    bare = printed.bare(entry.name, written.text)
    return entry if bare == written.text else entry._replace(written=replace(written, text=bare))


def _marked(text: str, names: Names, printed: Printed, path: str) -> list[Entry]:
    lines = printed.unwrapped(text).split("\n")
    found: list[Entry] = []
    current, typed, start, bare = "", "", 0, True
    gathered: list[str] = []
    early: dict[str, tuple[int, list[str]]] = {}  # what stands before its mark: where it begins, and its lines
    into: list[str] | None = None

    def close() -> None:
        if current or typed:
            ordinal = bool(gathered) and _ORDINAL.fullmatch(gathered[0])
            theirs = ordinal or any(not printed.holds(line) and not _BARE.fullmatch(line) for line in gathered)
            text = plain("\n".join(gathered)) if theirs else ""
            found.append(Entry(current, Written(text, None, path, start), typed))

    for number, line in enumerate(lines, 1):
        if mark := _mark(line, names, bare=bare) or _trailing(line, names, printed):
            close()
            current, typed, rest, before = mark
            if before:
                early.setdefault(current, (number, []))[1].append(before)
            start, bare = number, bool(_BARE_MARK.match(line))
            into = gathered = [rest]
        elif _HEADING.match(line):
            close()
            current, typed, into, bare = "", "", None, True
        elif (asked := printed.asked(line))[0] and asked[0] != current:
            into = early.setdefault(asked[0], (number, []))[1]
            into.append(asked[1])
        elif into is not None and not _FENCE.match(line) and (_ROOM.match(line) or not printed.holds(line)):
            into.append(line)
    close()
    answered = {entry.name for entry in found if entry.written.text}
    own = [(name, at, plain("\n".join(said))) for name, (at, said) in early.items() if name not in answered]
    return found + [Entry(name, Written(text, None, path, at)) for name, at, text in own if text]


def _trailing(line: str, names: Names, printed: Printed) -> tuple[str, str, str, str] | None:
    """Return the question of a mark at a line's end, nothing, what stands behind the mark and before it; or None.

    Behind the mark only a line may go on that begins with the printed question.
    """
    match = _TRAILING.match(line)
    name = plain_id(match["id"]) if match else ""
    if not match or name not in names.ids:
        return None
    own = printed.holds(match["before"])
    return (name, "", match["rest"], "" if own else match["before"]) if own or not match["rest"] else None


def _mark(line: str, names: Names, *, bare: bool) -> tuple[str, str, str, str] | None:
    """Return the question that a line's mark names, what was typed where that is no name, the rest, nothing; or None.

    Lines of an answer may look like marks (``head_i: …``), so a mistyped one without stars has to be long and plain to
    see, unless answers stand behind ``bare`` names here, or none has begun.
    """
    match = _MARK.match(line) or (_MARK.match(_DRESSED.sub("", line)) if _DRESSED.match(line.lstrip()) else None)
    if not match:
        return None
    raw = match["comment"] or match["bracket"] or match["bare"]
    if (name := plain_id(raw)) in names.ids:
        return name, "", match["rest"], ""
    if match["bare"] or not (match["id"] or (" " not in raw and len(raw) >= SHORTEST and _STARRED.search(line))):
        plain_name = "_" in raw and not (match["bare"] and re.match(r"[*_`]*\s*=", match.string[match.end("bare") :]))
        near = plain_name and (names.nearest(raw) if bare else len(raw) >= LONG and names.meant(raw))
        if not near:
            return None
    return names.meant(raw), raw.replace("\\", "").strip(), match["rest"], ""


def _from_data(document: Document, names: Names, notes: list[str]) -> list[Entry]:
    from grader.written.plain_data import entries, flat, load_plain

    text, remark = read_text(document)
    content, twice, problem = load_plain(text, json=document.path.lower().endswith(".json"))
    if problem:
        notes.append(f"{document.path}: {problem}")
        return _marked(text, names, Printed(), document.path)  # what can be read line by line is read
    pairs = [pair for key, value in twice for pair in entries({key: value}, names)]  # of two answers, a person judges
    pairs += entries(content, names)
    notes += [remark] if remark and pairs else []
    return [Entry(name, Written(plain(flat(value)), value, document.path), typed) for name, typed, value in pairs]


def _from_notebook(document: Document, names: Names, printed: Printed) -> list[Entry]:
    """Read cells that are tagged with a name, marks in the text cells, and cells below a question left empty."""
    found: list[Entry] = []
    asked = False  # whether the cell above ends with a question that has no answer yet
    for number, cell in enumerate(cells_of(document), 1):
        place = f"{document.path}, cell {number}"
        marked = [] if cell.kind == "code" else _marked(cell.text, names, printed, place)
        own = "\n".join(line for line in printed.unwrapped(cell.text).split("\n") if not printed.holds(line))
        tagged, typed = _tagged(cell.tags, names)
        if tagged or typed:
            behind = {entry.name: entry.written for entry in _marked(cell.text, names, printed, place) if entry.name}
            found.append(Entry(tagged, behind.get(tagged) or Written(plain(own), None, place), typed))
        elif asked and not marked and cell.kind != "code" and not _HEADING.match(own):
            found[-1] = found[-1]._replace(written=Written(plain(own), None, place))
        else:
            found += marked
        asked = bool(tagged or marked) and not found[-1].written.text
    return found


def _from_word(document: Document, names: Names, printed: Printed) -> list[Entry]:
    """Read marks in a Word or Writer file that holds some in brackets: a report has words that could be bare ones."""
    from grader.written.documents.pandoc import UnreadableSourceError
    from grader.written.documents.tree import sheet_text

    form = document.path.lower().rpartition(".")[2]
    try:
        text = sheet_text(form, document.data) if form in {"docx", "odt"} else ""
    except UnreadableSourceError:
        return []
    marked = any(plain_id(found) in names.ids for found in re.findall(rf"\[({ID})\]", text))
    return _marked(text, names, printed, document.path) if marked else []


def _from_form(document: Document, names: Names) -> tuple[list[Entry], str]:
    """Return the filled fields of a PDF, and a problem or nothing."""
    from grader.written.pdf.reading import ask_child

    told = ask_child("fields", document.data)
    found = []
    for key, value in told.get("fields", []):
        written = Written(plain(value), None, document.path)
        name = plain_id(key) if plain_id(key) in names.ids else ""
        if name or written.text:
            found.append(Entry(name or names.meant(key), written, "" if name else key))
    return found, str(told.get("problem", ""))


def _tagged(tags: Sequence[str], names: Names) -> tuple[str, str]:
    """Return the question that a cell is tagged with, and the tag where that is no question's name."""
    bare = [tag.removeprefix("answer:") for tag in tags]
    if exact := next((name for tag in bare if (name := plain_id(tag)) in names.ids), ""):
        return exact, ""
    for tag, raw in zip(bare, tags, strict=True):
        if (meant := names.meant(tag)) or raw.startswith("answer:") or names.nearest(tag):
            return meant, tag.strip()
    return "", ""


def _settled(found: Sequence[Entry], names: Names) -> tuple[dict[str, Written], list[Typed]]:
    """Return the answers, and the names that are no question's: one counts where its question has no other answer."""
    exact = _merged((entry.name, entry.written) for entry in found if entry.name and not entry.typed)
    rest: list[tuple[str, Written]] = []
    typed: list[Typed] = []
    for entry in found:
        if not entry.typed:
            continue
        at = entry.written
        place = f"{at.file}, line {at.line}" if at.line else at.file
        answered = entry.name in exact and bool(exact[entry.name].text)
        typed.append(Typed(entry.typed, place, entry.name, answered, "" if entry.name else names.nearest(entry.typed)))
        if entry.name and not answered:
            rest.append((entry.name, at))
    return {**exact, **_merged(rest)} if rest else exact, typed


def _merged(found: Iterable[tuple[str, Written]]) -> dict[str, Written]:
    """Keep one answer an id: an empty one gives way, and different ones are kept beside it."""
    kept: dict[str, Written] = {}
    for name, one in found:
        before = kept.get(name)
        if before is None or not before.text:
            kept[name] = one
        elif one.text and slug(one.text) != slug(before.text):
            kept[name] = replace(before, others=(*before.others, StudentText(one.text)))
    return kept
