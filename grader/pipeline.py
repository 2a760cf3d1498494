"""The straight line: submission, assess, score, report. Read this first.

``grade(submission, settings) -> Report`` takes and returns frozen, picklable data; a class is this function mapped
over submissions.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from grader import __version__
from grader.assess import assess
from grader.errors import UnreadableError
from grader.model import Assignment, Isolation, Report, Settings, Submission
from grader.score import score

if TYPE_CHECKING:
    from grader.sandbox.parent import Sandbox


def prepared(submission: Submission, assignment: Assignment) -> Submission:
    """Put the file that defines what is asked for first.

    Raises UnreadableError where two files define the same required name.
    """
    from grader.intake import ambiguous, entry_first

    names = {n for item in assignment.interfaces for n in (item.callable, *item.aliases, *item.names.values())}
    if problem := ambiguous(submission, sorted(names)):
        raise UnreadableError(problem, submission.path)
    return entry_first(submission, names)


def grade(submission: Submission, settings: Settings, sandbox: Sandbox | None = None) -> Report:
    """Judge ``submission`` under ``settings``.

    A ``sandbox`` may be passed in to be used for many submissions; without one, one is started and closed here.
    Raises UnavailableIsolationError where the isolation asked for is not to be had.
    """
    if sandbox is None:
        from grader.sandbox.parent import Sandbox

        with Sandbox(level=settings.isolation, torch=settings.assignment.needs_torch) as own:
            return grade(submission, settings, own)
    if settings.assignment.needs_torch:
        sandbox.warm_torch()
    components = settings.components or tuple(interface.component for interface in settings.assignment.interfaces)
    found = assess(submission, settings.assignment, components, settings.seed, sandbox)
    held = sandbox.isolation
    return Report(
        assignment=settings.assignment,
        rubric=settings.rubric,
        submission=submission,
        marks=score(settings.rubric, found.outcomes),
        isolation=Isolation(held.requested, held.applied, tuple(held.mechanisms), tuple(held.missing)),
        seed=settings.seed,
        grader_version=__version__,
        versions=_versions(settings),
        notes=found.notes,
    )


def _versions(settings: Settings) -> dict[str, str]:
    from importlib.metadata import version

    names = ("numpy", "torch") if settings.assignment.needs_torch else ("numpy",)
    found = {name: version(name) for name in names}
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        **found,
    }
