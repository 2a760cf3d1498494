"""What students of an assignment begin with, as its starter has it, and the hand-out that its assignment.yaml says."""

import ast
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from grader.catalog import assignment_file, load_assignment, load_rubric, rubric_beside
from grader.catalog.assignments import with_own_checks
from grader.components import is_own
from grader.errors import GraderError
from grader.intake.loading import load
from grader.learning.definitions import Definition, Taken, definitions
from grader.learning.files import written
from grader.learning.handout import handout
from grader.model.assignment import Argument, Assignment, Audience, Interface, Section


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
    given = {**{one.callable: _as_set(one) for one in asked if is_own(one.component)}, **given}
    lacking = [one.callable for one in asked if one.callable not in given]
    if lacking or not asked:
        what = f"the starter does not define {', '.join(lacking)}" if asked else "asks for no code"
        raise GraderError(what, str(_starter(which)), "The hand-out shows names and arguments as the starter has them.")
    texts = {module.chunks[0].file: module.source for module in load(_starter(which)).modules}
    files = written(texts) or ([loaded.file] if loaded.file else [*texts])
    pairs = [(one, given[one.callable]) for one in asked]
    judged, torch = _judged(which, loaded), loaded.needs_torch
    return handout(pairs, loaded.id, loaded.title, files, torch=torch, judged=judged, sections=_asked(loaded, judged))


def _asked(loaded: Assignment, judged: Collection[str] | None) -> list[Section]:
    """The written sections, with the questions that ``judged`` checks give points for."""
    kept = [
        replace(one, questions=tuple(q for q in one.questions if judged is None or f"{one.id}.{q.id}" in judged))
        for one in loaded.sections
    ]
    return [one for one in kept if one.questions]


def _as_set(interface: Interface) -> Definition:
    """A function of the course's own as its assignment.yaml sets it: the starter may leave it to the student."""
    given = interface.arguments or [Argument(name) for name in interface.parameters]
    taken = tuple(Taken(one.name or str(one.value)) for one in given)
    node = ast.parse(f"def {interface.callable}({', '.join(one.name for one in taken)}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)  # noqa: S101 - for types alone
    return Definition(interface.callable, "function", "", "", node, called=taken)


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
