"""What students of an assignment begin with, as its starter has it, and the hand-out that its assignment.yaml says."""

from pathlib import Path

from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.catalog.assignments import with_own_checks
from grader.errors import GraderError
from grader.intake.loading import load
from grader.learning.definitions import Definition, definitions
from grader.learning.files import written
from grader.learning.handout import handout
from grader.model.assignment import Assignment, Audience


def definitions_given(which: str | Path) -> dict[str, Definition]:
    """The functions and classes of an assignment's starter by name; empty where it has none."""
    folder = _starter(which)
    return definitions(load(folder).modules) if folder.is_dir() else {}


def handout_of(which: str | Path) -> str:
    """The hand-out of an assignment as its assignment.yaml and its starter say it now.

    Raises GraderError where the starter lacks something that is asked for.
    """
    loaded, given = load_assignment(which), definitions_given(which)
    asked = [one for one in loaded.interfaces if one.callable]
    lacking = [one.callable for one in asked if one.callable not in given]
    if lacking or not asked:
        what = f"the starter does not define {', '.join(lacking)}" if asked else "asks for no code"
        raise GraderError(what, str(_starter(which)), "The hand-out shows names and arguments as the starter has them.")
    texts = {module.chunks[0].file: module.source for module in load(_starter(which)).modules}
    names = written(texts) or ([loaded.file] if loaded.file else [*texts])
    pairs = [(one, given[one.callable]) for one in asked]
    judged, torch = _judged(which, loaded), loaded.needs_torch
    return handout(pairs, loaded.id, loaded.title, names, torch=torch, judged=judged, sections=loaded.sections)


def _judged(which: str | Path, loaded: Assignment) -> frozenset[str] | None:
    """The checks that its rubric gives students points for; None where it has no rubric yet."""
    try:
        path = rubric_beside(which)
    except GraderError:
        return None
    criteria = load_rubric(path, with_own_checks(loaded, path)).criteria
    shown = (check for one in criteria for check in one.checks if check.audience is Audience.STUDENT)
    return frozenset(check.id for check in shown)


def _starter(which: str | Path) -> Path:
    return assignment_file(which).parent / "starter"
