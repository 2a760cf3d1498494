"""Scores over time: a new rubric applied to stored outcomes; code runs only where a check itself changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from grader.classroom.results import Results
from grader.errors import GraderError
from grader.model import (
    Answer,
    Assignment,
    Counterexample,
    Diagnosis,
    Isolation,
    Location,
    Outcome,
    Report,
    Rubric,
    Span,
    Submission,
    Verdict,
)
from grader.score import score


@dataclass(frozen=True, slots=True)
class Change:
    """One student's score before and after; ``criteria`` maps ids to (before, after) where they differ."""

    key: str
    name: str
    before: Decimal
    after: Decimal
    criteria: Mapping[str, tuple[str, str]]
    report: Report


def changes(results: Results, assignment: Assignment, rubric: Rubric) -> Iterator[Change]:
    """Score every stored report by ``rubric``. Pure: nothing is written and no code runs.

    Raises GraderError where the rubric asks for a check that was not run.
    """
    for key, stored in results.all_reports():
        report = rescored(stored, assignment, rubric)
        before = {c["id"]: str(Decimal(str(c["points"]))) for c in stored["criteria"]}
        after = {mark.criterion.id: str(mark.points) for mark in report.marks}
        moved = {
            name: (before.get(name, "-"), after.get(name, "-"))
            for name in sorted(before.keys() | after.keys())
            if not _equal(before.get(name), after.get(name))
        }
        name = stored["submission"]["submitter"] or key
        yield Change(key, name, Decimal(str(stored["score"])), report.score, moved, report)


def rescored(stored: Mapping[str, Any], assignment: Assignment, rubric: Rubric) -> Report:
    """Return a stored report with its outcomes scored by ``rubric``. Raises GraderError where a check is missing."""
    outcomes = tuple(outcome_of(check) for check in stored["checks"])
    known = {outcome.check for outcome in outcomes}
    asked = {check.id for criterion in rubric.criteria for check in criterion.checks}
    if stored["verdict"] != "unreadable" and (lacking := sorted(asked - known)):
        raise GraderError(
            f"the stored outcomes have no {lacking[0]}",
            stored["submission"]["path"],
            "Run `grader grade` again: the new rubric asks for checks that were not run.",
        )
    work = stored["submission"]
    submission = Submission(
        work["id"],
        work["path"],
        submitter=work["submitter"],
        submitted_at=work["submitted_at"],
        late=work["late"],
        sha256=work["sha256"],
    )
    return Report(
        assignment, rubric, submission, score(rubric, outcomes) if outcomes else (),
        _isolation(stored["isolation"]), stored["seed"],
        stored["grader_version"], stored["versions"], tuple(stored["notes"]), stored["unreadable"] or "",
    )  # fmt: skip


def _isolation(held: Mapping[str, Any]) -> Isolation:
    return Isolation(held["requested"], held["applied"], tuple(held["mechanisms"]), tuple(held["missing"]))


def outcome_of(check: Mapping[str, Any]) -> Outcome:
    """Read an outcome back from a stored report.

    A check that was skipped because of a prerequisite keeps that verdict: what it would have been was not stored.
    """
    example, named, place = check["counterexample"], check["misconception"], check["location"]
    return Outcome(
        check=check["id"], component=check["component"], title=check["title"], verdict=Verdict(check["verdict"]),
        passed=check["passed"], asked=check["asked"], message=check["message"],
        counterexample=example and Counterexample(**example),
        diagnosis=named and _diagnosis(named, check["hint"]),
        location=place and Location(place["file"], place["line"], place["cell"]),
        staff_note=check["staff_note"] or "", notes=tuple(check["notes"]), duration_s=check["duration_s"],
        answer=_answer(check["answer"]) if check.get("answer") else None,
    )  # fmt: skip


def _answer(stored: Mapping[str, Any]) -> Answer:
    return Answer(stored["text"], tuple(Span(**span) for span in stored["spans"]), stored["suggested"])


def _diagnosis(named: Mapping[str, Any], hint: str | None) -> Diagnosis:
    family = tuple(named["family"])
    return Diagnosis(named["id"], named["title"], family, named["evidence"], {"hint": hint or ""}, named["reread"])


def _equal(before: str | None, after: str | None) -> bool:
    return before is not None and after is not None and Decimal(before) == Decimal(after)


def history_line(change: Change, reason: str) -> dict[str, Any]:
    """One line of the history."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "student": change.key,
        "before": str(change.before),
        "after": str(change.after),
        "criteria": change.criteria,
        "reason": reason,
    }
