"""A class graded into its results folder: what is kept there before, while and after the hand-ins are judged."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.catalog import list_assignments, rubric_beside
from grader.catalog.places import assignment_file, rubric_file
from grader.catalog.yaml_file import read_yaml
from grader.classroom import batch, form
from grader.classroom.batch import Done
from grader.classroom.entry import Entry
from grader.classroom.executors import Workforce
from grader.classroom.gathering import ClassOptions, Gathered
from grader.classroom.policy import load_policy
from grader.classroom.results import Results, locked, open_results, write_atomically
from grader.classroom.tables import read_text
from grader.errors import GraderError
from grader.intake.text import characters
from grader.model.report import Settings
from grader.model.text import StudentText


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the settings came from: the assignment's id or path, and the rubric's file."""

    assignment: str
    rubric: Path


def sources_of(assignment: str, rubric: str | None) -> Sources:
    """Return where an assignment and its rubric lie, so that the results can be read elsewhere."""
    bundled = assignment in list_assignments()
    where = assignment if bundled else str(assignment_file(assignment).resolve())
    return Sources(where, rubric_file(rubric or rubric_beside(assignment)))


def grade_class(
    entries: deque[Entry],
    about: Gathered,
    settings: Settings,
    sources: Sources,
    options: ClassOptions,
    workforce: Workforce,
) -> Generator[Done, None, None]:
    """Grade ``entries`` into the results folder and yield what became of each; nobody else writes there meanwhile.

    They are let go of one by one: what is graded needs no memory any more. ``about`` says who handed in nothing.
    Raises GraderError.
    """
    results = open_results(options.output)
    _require_same(results, settings)
    with locked(results):
        keep_policy(options.policy, results)
        if options.roster:
            write_atomically(results.roster, read_text(options.roster))
        results.keep_rubric(_text(sources.rubric))
        head: dict[str, Any] = {"assignment_source": sources.assignment}
        head |= {name: said for name in ("layout", "pattern") if (said := getattr(options, name))}
        if not options.only:
            head |= {"ignored": [*about.ignored]} | (_absent(about) if results.roster.is_file() else {})
        running = batch.run(
            _let_go(entries), settings, results, workforce, force=options.force, attempt=options.attempt, about=head
        )
        with closing(workforce), closing(running):
            yield from running


def remarks_on_forms(source: Sequence[Path], settings: Settings) -> Iterator[str]:
    """Yield what is to be said of the columns of forms: what is wrong with one is wrong for the whole class."""
    for path in source:
        if path.suffix.lower() == ".csv" and path.is_file():
            yield from form.remarks_on(path, settings.assignment.sections)


def _absent(found: Gathered) -> dict[str, Any]:
    return {
        "absent": list(found.names),
        "absentees": [{"key": one.key, "name": one.name, "ids": list(one.ids)} for one in found.missing],
    }


def _require_same(results: Results, settings: Settings) -> None:
    """Raise GraderError where the folder holds the results of another assignment: they would be graded over."""
    index = results.index()
    held = index.get("assignment", settings.assignment.id)
    if index["students"] and held != settings.assignment.id:
        what = f"holds results of {held}, and this is {settings.assignment.id}"
        raise GraderError(what, str(results.folder), "Name another folder with -o.")


def rubric_before(results: Results, rubric: Path) -> str:
    """Return id and version of the rubric that results were graded by; empty where it is ``rubric``, or unreadable."""
    try:
        same = not results.rubric.exists() or _text(results.rubric) == _text(rubric)
        said = {} if same else read_yaml(results.rubric).data
    except GraderError:
        return ""
    return StudentText(f"{said['id']} {said['version']}") if {"id", "version"} <= set(said) else ""


def _text(path: Path) -> str:
    return characters(path.read_bytes())[0]


def _let_go(entries: deque[Entry]) -> Iterator[Entry]:
    while entries:
        yield entries.popleft()


def keep_policy(policy: Path | None, results: Results) -> None:
    """Keep a valid policy file with the results, where every export finds it."""
    if policy is None:
        return
    load_policy(policy)
    write_atomically(results.policy, _text(policy))
