"""Which assignment a piece of work belongs to: what grader.yaml says, else the names that the work defines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.catalog.assignments import OWN, load_assignment
from grader.catalog.places import assignment_file, list_assignments
from grader.catalog.yaml_file import read_yaml, validate
from grader.errors import GraderError
from grader.model.assignment import Assignment
from grader.model.submission import Submission

if TYPE_CHECKING:
    from grader.catalog.schema import ProjectFile

PROJECT_FILE = "grader.yaml"


@dataclass(frozen=True, slots=True)
class Recognised:
    """An assignment and how it was found, in words that can be said aloud."""

    assignment: str
    how: str


def project_file(path: Path) -> Path | None:
    """Return grader.yaml beside ``path`` (or in it, where it is a folder), or None."""
    found = (path if path.is_dir() else path.parent) / PROJECT_FILE
    return found if found.is_file() else None


def read_project(path: Path) -> ProjectFile:
    """Read grader.yaml; raises InvalidFileError. A student may have written it: it names, it decides nothing."""
    from grader.catalog.schema import ProjectFile

    return validate(read_yaml(path), ProjectFile)


def assignment_named(named: str, project: Path) -> str:
    """Return the assignment that grader.yaml at ``project`` names: an id, or a folder as seen from there.

    Raises GraderError naming the file where there is none. Its own checks run in the grader itself, so that they are
    never taken from what may be a student's file: the command names such an assignment.
    """
    local = project.parent / named
    which = str(local) if "/" in named and local.exists() else named
    try:
        own = assignment_file(which).with_name(OWN)
    except GraderError as error:
        raise GraderError(f"assignment: {error.what}", str(project), error.cure) from None
    if own.is_file():
        raise GraderError(f"{which} brings {OWN}, which runs in the grader", str(project), "Name it with -a.")
    return which


def recognise(path: Path, submission: Submission) -> Recognised:
    """Return the assignment of ``submission`` and how it was found; GraderError where nothing tells."""
    project = project_file(path)
    if project:
        which = assignment_named(read_project(project).assignment, project)
        return Recognised(which, f"named in {project}")
    if not submission.modules and submission.documents:
        return _by_marks(path, submission)
    defined = names_defined(submission)
    loaded = [(known, load_assignment(known, keys=False)) for known in list_assignments()]
    ranked = sorted(
        (_rank(item, defined), known) for known, item in loaded if item.interfaces and _written_too(item, submission)
    )
    best = [known for rank, known in ranked if rank == ranked[-1][0]]
    if len(best) > 1:  # work that holds the marks of a sheet is more than its code
        best = [known for known, item in loaded if known in best and item.parts != ("code",)] or best
    if not ranked or ranked[-1][0] == (0, 0.0):
        found = _unparsed(submission) or f"it defines {', '.join(sorted(defined)[:8]) or 'nothing'}"
        of_code = ", ".join(known for known, item in loaded if item.interfaces)
        raise GraderError(f"cannot tell which assignment this is: {found}", str(path), f"Give one with -a: {of_code}.")
    if len(best) > 1:
        raise GraderError("could be any of " + ", ".join(best), str(path), f"Give one with -a {best[0]}.")
    matched = _matched(load_assignment(best[0], keys=False), defined)
    shown = ", ".join(f"`{name}`" for name in matched[:3]) + (", …" if len(matched) > 3 else "")  # noqa: PLR2004
    return Recognised(best[0], f"it defines {shown}")


def _written_too(assignment: Assignment, submission: Submission) -> bool:
    """Say whether work can be this assignment's: one with written parts is known by the marks of its sheet."""
    if assignment.parts == ("code",) or not submission.documents:
        return assignment.parts == ("code",)
    from grader.written.sheet import read_sheet

    sections = load_assignment(assignment.id).sections
    return bool(read_sheet(submission.documents, sections).answers)


def _by_marks(path: Path, submission: Submission) -> Recognised:
    """Return the assignment whose questions the documents answer; GraderError where they answer none's."""
    from grader.intake.assemble import require_code
    from grader.written.sheet import read_sheet

    counts = []
    for known in list_assignments():
        sections = load_assignment(known).sections
        answers = read_sheet(submission.documents, sections).answers if sections else {}
        counts.append((len(answers), known))
    most, best = max(counts)
    if most:
        return Recognised(best, f"it answers {most} of its questions")
    names = ", ".join(known for known in list_assignments() if load_assignment(known, keys=False).parts != ("code",))
    if not names or not any(document.data.strip() for document in submission.documents):
        require_code(submission)
    found = "no code, and no answers behind their marks"
    raise GraderError(f"cannot tell which assignment this is: {found}", str(path), f"Give one with -a: {names}.")


def names_defined(submission: Submission) -> frozenset[str]:
    """Return the names that the work defines at its top level, however it does; unreadable code has none."""
    from grader.intake.candidates import own_definitions

    return frozenset(name for module in submission.modules for name in own_definitions(module))


def _unparsed(submission: Submission) -> str:
    """Say where code cannot be parsed, which hides what it defines; empty where all of it can."""
    from grader.intake.syntax import SyntaxFault, parse

    for chunk in submission.chunks:
        if isinstance(fault := parse(chunk.code), SyntaxFault):
            return f"line {fault.line} of {chunk.filename} is not Python ({fault.message})"
    return ""


def _matched(assignment: Assignment, defined: frozenset[str]) -> tuple[str, ...]:
    wanted = [(item.callable, *item.aliases, *item.names.values()) for item in assignment.interfaces]
    return tuple(next(name for name in names if name in defined) for names in wanted if defined & {*names})


def _rank(assignment: Assignment, defined: frozenset[str]) -> tuple[int, float]:
    """More components are better; of two equals, the assignment that asks for less besides them; near misses last."""
    from difflib import get_close_matches

    matched = len(_matched(assignment, defined))
    if not matched and any(get_close_matches(item.callable, defined, cutoff=0.8) for item in assignment.interfaces):
        return 0, 1 / len(assignment.interfaces)
    return matched, matched / len(assignment.interfaces)
