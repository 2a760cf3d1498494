"""What lies beside a key, by value into it: answers, the questions of a printed sheet, texts of a folder it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.errors import GraderError
from grader.model.assignment import Question, Section
from grader.model.submission import Document
from grader.written.key import OwnWordsKey
from grader.written.printed import questions_of

MOST_FILES = 200
LARGEST = 20_000_000
"""Bytes of one file."""


def with_texts(sections: Iterable[Section], beside: Path, bundled: Path | None = None) -> tuple[Section, ...]:
    """Return the sections with the texts of the folders they name, found beside the key.

    Answers of another assignment are those in the folder beside this one's, else in ``bundled``. A question that the
    key does not print is asked as on the sheet in ``starter``.

    Raises GraderError for a folder that is not there, holds nothing to read or too much, and for a file that cannot
    be read: an instructor who names texts wants them compared.
    """
    asked: dict[str, str] = {}
    for sheet in sorted((beside / "starter").glob("*.md")):
        asked |= questions_of(sheet.read_text(encoding="utf-8", errors="replace"))
    return tuple(
        Section(
            s.id, s.title, s.part, tuple(_filled(question, beside, bundled, asked) for question in s.questions), s.text
        )
        for s in sections
    )


def _filled(question: Question, beside: Path, bundled: Path | None, asked: Mapping[str, str]) -> Question:
    key = question.key
    if not key.ask and question.id in asked:
        key = key.model_copy(update={"ask": asked[question.id]})
        question = replace(question, key=key)
    name = getattr(key, "concepts", "") or getattr(key, "statements", "")
    if name:
        return replace(question, key=key.model_copy(update={"held": _held(name, beside, bundled)}))
    if not isinstance(key, OwnWordsKey) or not key.folder:
        return question
    texts = {**read_folder(beside / key.folder), **key.texts}
    return replace(question, key=key.model_copy(update={"texts": texts}))


def _held(name: str, beside: Path, bundled: Path | None) -> str:
    """Return the text of a file of answers: beside the key, or ``assignment/name`` in the folder of another one."""
    folder, _, stem = name.rpartition("/")
    path = (beside.parent / folder if folder else beside) / "answers" / f"{stem}.yaml"
    if folder and bundled and not path.is_file():  # a copy of an assignment that names another one's
        path = bundled / folder / "answers" / f"{stem}.yaml"
    if not path.is_file():
        raise GraderError("there is no such file of answers", str(path), f"Write it, or correct {name!r} in the key.")
    return path.read_text(encoding="utf-8")


def read_folder(folder: Path) -> dict[str, str]:
    """Return the prose of every document below ``folder`` by its path in it; raises GraderError as ``with_texts``."""
    from grader.written.opening import SOURCES, open_paper

    if not folder.is_dir():
        raise GraderError("there is no such folder of course texts", str(folder), "Correct `folder` in report.yaml.")
    kinds = {*SOURCES, ".pdf"}
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in kinds)
    if not paths or len(paths) > MOST_FILES:
        what = f"holds {len(paths)} texts" if paths else "holds no text that is read"
        raise GraderError(what, str(folder), f"Put 1 to {MOST_FILES} of {', '.join(sorted(kinds))} there.")
    found: dict[str, str] = {}
    for path in paths:
        if path.stat().st_size > LARGEST:
            raise GraderError("is too large for a course text", str(path), "Leave it out of the folder.")
        # A name of its own: `handout.md` in a hand-in is ours, in the course's folder it is a text like any other.
        paper = open_paper([Document(f"course{path.suffix}", path.read_bytes())])
        if not paper.text.strip():
            why = paper.pages.problem if paper.pages and paper.pages.problem else "no text was found in it"
            raise GraderError(f"cannot be read as a course text: {why}", str(path), "Save it as plain text.")
        found[path.relative_to(folder).as_posix()] = paper.text
    return found
