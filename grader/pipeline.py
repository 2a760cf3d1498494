"""The straight line: submission, assess, score, report. Read this first.

``grade(submission, settings) -> Report`` takes and returns frozen, picklable data; a class is this function mapped
over submissions.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from grader.errors import UnreadableError
from grader.model.assignment import Assignment
from grader.model.outcome import Outcome
from grader.model.report import Mark, Printed, Report, Settings
from grader.model.submission import Submission
from grader.sandbox.plain import Isolation
from grader.score import score, unscored
from grader.version import __version__

if TYPE_CHECKING:
    from grader.sandbox.parent import Sandbox


def prepared(submission: Submission, assignment: Assignment) -> Submission:
    """Put the file that defines what is asked for first.

    Raises UnreadableError where two files define the same required name and neither is the one that the hand-out
    names, and where code alone is asked for and there is none.
    """
    from grader.intake.assemble import require_code
    from grader.intake.candidates import ambiguous, entry_first, passed_over

    if assignment.parts == ("code",):
        require_code(submission)
    names = {n for item in assignment.interfaces for n in (item.callable, *item.aliases, *item.names.values())}
    if problem := ambiguous(submission, sorted(names), assignment.file):
        raise UnreadableError(problem, submission.path, "Hand in one of them, or name the file to be judged (--file)")
    first = entry_first(submission, names, assignment.file)
    return replace(first, notes=(*first.notes, *passed_over(first, names, assignment.file)))


def grade(submission: Submission, settings: Settings, sandbox: Sandbox | None = None) -> Report:
    """Judge ``submission`` under ``settings``: its code in a sandbox, its written parts from its documents.

    A ``sandbox`` may be passed in to be used for many submissions; without one, one is started and closed here, if
    there is code to be judged. Raises UnavailableIsolationError where the isolation asked for is not to be had.
    """
    assignment = settings.assignment
    components = settings.components or assignment.components
    written = tuple(section for section in assignment.sections if section.id in components)
    code = tuple(name for name in components if name not in {section.id for section in written})
    if code and sandbox is None:
        from grader.sandbox.parent import Sandbox

        with Sandbox(level=settings.isolation, torch=assignment.needs_torch) as own:
            return grade(submission, settings, own)
    outcomes: tuple[Outcome, ...] = ()
    notes = submission.notes
    isolation = Isolation(settings.isolation, "")
    seconds: Mapping[str, float] = {}
    prints: tuple[Printed, ...] = ()
    if code and sandbox is not None:
        from grader.assessing.assess import assess
        from grader.components import is_own
        from grader.judging.grounds import without_ground

        if assignment.needs_torch:
            sandbox.warm_torch()
        found = assess(submission, assignment, code, settings.seed, sandbox)
        outcomes = without_ground(found.outcomes, settings.rubric.checks, {*filter(is_own, code)})
        notes, seconds, isolation = found.notes, found.seconds, sandbox.isolation
        prints = found.prints.told() if settings.prints else ()
    if written:
        from grader.written.parts import assess_written

        judged, remarks = assess_written(submission, written, code="code" in assignment.parts)
        outcomes, notes = outcomes + judged, (*notes, *remarks)
    marks = score(settings.rubric, outcomes)
    return Report(
        assignment=assignment,
        rubric=settings.rubric,
        submission=submission,
        marks=marks,
        isolation=isolation,
        seed=settings.seed,
        grader_version=__version__,
        versions=versions(torch=assignment.needs_torch),
        notes=notes,
        unscored=unscored(marks, outcomes),
        seconds=seconds,
        prints=prints,
    )


def unjudged(
    submission: Submission,
    settings: Settings,
    marks: tuple[Mark, ...] = (),
    *,
    unreadable: str = "",
    notes: tuple[str, ...] = (),
) -> Report:
    """Return the report on a submission of which nothing was judged, for those who need one all the same."""
    return Report(
        settings.assignment, settings.rubric, submission, marks, Isolation(settings.isolation, ""), settings.seed,
        __version__, versions(torch=settings.assignment.needs_torch), notes, unreadable,
    )  # fmt: skip


@cache
def versions(*, torch: bool) -> Mapping[str, str]:
    """Return the versions and the platform that outcomes depend on."""
    import numpy as np

    found = {"numpy": np.__version__}
    if torch:
        from importlib.metadata import version

        found["torch"] = version("torch")  # never imported here
    return {"python": platform.python_version(), "platform": f"{platform.system()}-{platform.machine()}", **found}
