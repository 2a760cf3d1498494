"""A stored report scored again, by the same rubric or by another one: pure, no code runs."""

from collections.abc import Mapping
from typing import Any

from grader.errors import GraderError
from grader.model.assignment import Assignment, Rubric
from grader.model.report import Report
from grader.model.submission import Submission
from grader.report.stored import Outcomes, read_as, stored_outcomes
from grader.sandbox.plain import Isolation
from grader.score import nothing, score, unscored


def rescored(stored: Mapping[str, Any], assignment: Assignment, rubric: Rubric, more: Outcomes = ()) -> Report:
    """Return a stored report with its outcomes scored by ``rubric``. Raises GraderError where some are missing.

    ``more`` replace the stored outcomes of their components.
    """
    newer = {outcome.component for outcome in more}
    outcomes = (*(outcome for outcome in stored_outcomes(stored) if outcome.component not in newer), *more)
    if not more and (lacking := lacks(stored, rubric)):
        cure = "Give the submissions with --source, so that it can be run."
        raise GraderError(
            f"the new rubric asks for {lacking[0]}, which was not judged", stored["submission"]["id"], cure
        )
    about = {name: stored["submission"][name] for name in ("id", "path", "submitter", "submitted_at", "late", "sha256")}
    unreadable = stored["unreadable"] or ""
    marks = nothing(rubric) if unreadable else score(rubric, outcomes)
    isolation = read_as(Isolation, stored["isolation"])
    return Report(
        assignment, rubric, Submission(**about), marks, isolation, stored["seed"],
        stored["grader_version"], stored["versions"], tuple(stored["notes"]), unreadable, unscored(marks, outcomes),
    )  # fmt: skip


def lacks(stored: Mapping[str, Any], rubric: Rubric) -> tuple[str, ...]:
    """The components that ``rubric`` asks for and that were not judged; none for what cannot be read.

    A check that is missing among others of its component does not apply to what was handed in.
    """
    if stored["unreadable"]:
        return ()
    judged = {check["component"] for check in (*stored["checks"], *stored.get("unscored", ()))}
    asked = {check.id.partition(".")[0] for criterion in rubric.criteria for check in criterion.checks}
    return tuple(sorted(asked - judged))
