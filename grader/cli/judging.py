"""From a path and options to a report: what `check`, `grade` and `ci` have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import Exit, GraderError, UnavailableIsolationError, UnreadableError, nearest
from grader.model.assignment import Assignment
from grader.model.outcome import Verdict
from grader.model.report import Report, Settings
from grader.model.submission import Submission

if TYPE_CHECKING:
    from grader.sandbox.parent import Sandbox
    from grader.sandbox.plain import Level


def read(path: Path) -> Submission:
    """Read the work at ``path`` and what it imports from beside it; raises UnreadableError.

    Whether there has to be code in it, the assignment says.
    """
    from grader.intake.loading import load

    return load(path, beside=True)


def assignment_of(path: Path, submission: Submission) -> str:
    """Return the assignment that the work is for, and say how that was told; raises GraderError where it cannot be."""
    import click

    from grader.catalog import recognise

    found = recognise(path, submission)
    click.echo(f"Assignment {found.assignment}: {found.how}.", err=True)
    return found.assignment


def settings_for(
    assignment: str,
    *,
    rubric: str | None = None,
    components: Sequence[str] = (),
    isolation: Level = "strict",
    seed: int = 0,
    file: str | None = None,
    named: bool = True,
    prints: bool = False,
) -> Settings:
    """Return everything besides the submission that a report depends on; raises GraderError.

    ``file`` is the name of the file that is judged where a hand-in holds several, instead of the hand-out's. Checks
    that lie beside the rubric run where it was ``named`` by whoever grades, never where a file of the work names it.
    """
    from grader.catalog import assignment_file, data_root, load_assignment, load_rubric, rubric_beside
    from grader.catalog.assignments import with_own_checks
    from grader.score import select

    loaded = load_assignment(assignment)
    loaded = with_own_checks(loaded, rubric) if rubric and named else loaded
    path = assignment_file(assignment)
    if not path.is_relative_to(data_root()):  # the bundled ones are tested
        from grader.catalog.interfaces import require_known_interfaces

        require_known_interfaces(path, loaded)
    _require_components(loaded, components)
    judged = load_rubric(rubric or rubric_beside(assignment), loaded)
    chosen = select(judged, components)
    if not chosen.criteria:
        raise GraderError(f"the rubric {judged.id} gives no points for {', '.join(components)}")
    return Settings(_judging(loaded, file) if file else loaded, chosen, isolation, seed, tuple(components), prints)


def _judging(assignment: Assignment, file: str) -> Assignment:
    """The assignment that asks for ``file``: with a digest of its own, so that work is graded anew."""
    from hashlib import sha256

    return replace(assignment, file=file, sha256=sha256(f"{assignment.sha256} {file}".encode()).hexdigest())


def _require_components(assignment: Assignment, components: Sequence[str]) -> None:
    known = assignment.components
    for name in components:
        if name not in known:
            cure = nearest(name, known, every=True)
            raise GraderError(f"{assignment.id} has no component {name!r}", "--component", cure)


def judge(submission: Submission, settings: Settings, sandbox: Sandbox | None) -> Report:
    """Grade one submission; raises UnreadableError, and UnavailableIsolationError where isolation is not to be had."""
    from grader.cli.waiting import told_meanwhile
    from grader.pipeline import grade, prepared

    require_torch(settings.assignment.id, needed=settings.assignment.needs_torch)
    ready = prepared(submission, settings.assignment)
    with isolation_errors(settings.isolation), told_meanwhile(sandbox, settings.assignment):
        return grade(ready, settings, sandbox)


def require_torch(where: str, *, needed: bool) -> None:
    """Raise GraderError where torch is ``needed`` by what is ``where``, and not installed."""
    from importlib.util import find_spec

    if needed and find_spec("torch") is None:
        cure = "pip install 'attention-grader[torch]', or '.[torch]' in a clone."
        raise GraderError("needs torch, which is not installed", where, cure)


@contextmanager
def isolation_errors(level: Level = "strict") -> Iterator[None]:
    """Turn the sandbox's refusal into the user's error, with what would work here if anything weaker is left."""
    try:
        yield
    except Exception as error:
        from grader.sandbox.plain import IsolationError

        if not isinstance(error, IsolationError):
            raise
        cure = (
            "Nothing weaker is left. `grader grade … --isolation none` runs the code unprotected, to find out why."
            if level == "auto"
            else "To go on with less, say so, and every report is marked with it:"
        )
        refused = UnavailableIsolationError(str(error).rstrip("."), "", cure)
        refused.weaker = level != "auto"
        raise refused from error


def lost_points(report: Report) -> bool:
    """Whether a criterion lost points; those that wait for a person are not lost, bonus cannot be."""
    return any(mark.points + mark.pending < mark.criterion.points for mark in report.marks if not mark.criterion.bonus)


def exit_code(report: Report) -> Exit:
    """Return the exit code of a check of one submission."""
    if report.verdict is Verdict.FAULT:
        return Exit.FAULT
    return Exit.POINTS_LOST if lost_points(report) else Exit.OK


def unreadable(settings: Settings, work: Path, error: UnreadableError) -> Report:
    """Return the report on work that cannot be read, for those who need one all the same."""
    from grader.pipeline import unjudged

    return unjudged(Submission(work.name, str(work)), settings, unreadable=str(error))
