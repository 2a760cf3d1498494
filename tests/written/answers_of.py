"""The shipped files of answers by their names, for tests."""

from __future__ import annotations

from grader.catalog.places import assignment_file
from grader.written import concepts
from grader.written.concepts import ConceptList, answers_file
from grader.written.statements import Statements

_IDS = ("discovery-worksheet", "paper-walkthrough", "attention-week", "rederive-report")
FILES = {
    path.stem: path.read_text(encoding="utf-8")
    for name in _IDS
    for path in sorted((assignment_file(name).parent / "answers").glob("*.yaml"))
}


def concept_names() -> tuple[str, ...]:
    """Return the names of the files that hold ideas."""
    return tuple(sorted(name for name, text in FILES.items() if answers_file(text).ideas))


def concept_list(name: str) -> ConceptList:
    """Return the ideas of a file."""
    return concepts.concept_list(FILES[name])


def statements(name: str) -> Statements | None:
    """Return the statements of a file; None where it has none."""
    return concepts.statements_of(FILES[name])
