"""``grade``: a file, a notebook, a folder or a zip, judged as the command does it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.testing.result import Result

if TYPE_CHECKING:
    from grader.sandbox.plain import Level


def grade(
    work: str | Path,
    assignment: str | Path | None = None,
    *,
    rubric: str | Path | None = None,
    components: Sequence[str] = (),
    seed: int = 0,
    isolation: Level = "auto",
) -> Result:
    """Judge ``work``, its code in a process beside; return a result that prints as the report.

    Left out, the assignment is the one of a grader.yaml beside the work, or is told from the names it defines.
    ``isolation`` is ``strict``, ``standard``, ``none`` or ``auto``, the best there is. Raises UnreadableError for work
    that cannot be read, and GraderError.
    """
    from grader.catalog import recognise
    from grader.cli.judging import isolation_errors, judge, read, settings_for
    from grader.sandbox.parent import Sandbox

    path = Path(work)
    submission = read(path)
    which = str(assignment) if assignment is not None else recognise(path, submission).assignment
    settings = settings_for(
        which, rubric=str(rubric) if rubric else None, components=components, isolation=isolation, seed=seed
    )
    with isolation_errors(isolation), Sandbox(level=isolation, torch=settings.assignment.needs_torch) as sandbox:
        return Result(judge(submission, settings, sandbox))
