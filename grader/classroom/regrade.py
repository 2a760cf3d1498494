"""Scores over time: a new rubric applied to stored outcomes; code runs only where a component was never judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from grader.classroom.batch import graded
from grader.classroom.entry import Entry
from grader.classroom.executors import Workforce
from grader.classroom.results import FORMAT, Results, now
from grader.classroom.standing import digest, digest_of, fingerprint
from grader.classroom.worker import scored
from grader.errors import GraderError
from grader.model import (
    Answer,
    Assignment,
    By,
    Counterexample,
    Diagnosis,
    Isolation,
    Location,
    Outcome,
    Reason,
    Report,
    Rubric,
    Settings,
    Submission,
    Tells,
    Verdict,
)
from grader.report import json_report
from grader.score import nothing, score, select, unscored

Outcomes = tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One student's score before and after; ``criteria`` maps ids to (before, after) where they differ."""

    key: str
    name: str
    before: Decimal
    after: Decimal
    criteria: Mapping[str, tuple[str, str]]
    report: Report

    @property
    def moved(self) -> bool:
        """Whether anything differs."""
        return bool(self.criteria) or self.before != self.after


def changes(
    results: Results, assignment: Assignment, rubric: Rubric, more: Mapping[str, Outcomes] | None = None
) -> Iterator[Change]:
    """Score every stored report by ``rubric``. Pure: nothing is written and no code runs.

    ``more`` holds outcomes by key that were made for the new rubric. Raises GraderError where the rubric asks for a
    component that was not judged.
    """
    for key, stored in results.all_reports():
        report = rescored(stored, assignment, rubric, (more or {}).get(key, ()))
        before = {c["id"]: str(Decimal(str(c["points"]))) for c in stored["criteria"]}
        after = {mark.criterion.id: f"{mark.points:f}" for mark in report.marks}
        moved = {
            name: (before.get(name, "-"), after.get(name, "-"))
            for name in sorted(before.keys() | after.keys())
            if not _equal(before.get(name), after.get(name))
        }
        name = stored["submission"]["submitter"] or key
        yield Change(key, name, Decimal(str(stored["score"])), report.score, moved, report)


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
    isolation = _reader(Isolation).validate_python(stored["isolation"])
    return Report(
        assignment, rubric, Submission(**about), marks, isolation, stored["seed"],
        stored["grader_version"], stored["versions"], tuple(stored["notes"]), unreadable, unscored(marks, outcomes),
    )  # fmt: skip


def stored_outcomes(stored: Mapping[str, Any]) -> Outcomes:
    """Every outcome of a stored report as it was judged, before any prerequisite set it aside."""
    checks = (*stored["checks"], *stored.get("unscored", ()))
    return tuple(outcome_of(check.get("judged") or check) for check in checks)


def lacks(stored: Mapping[str, Any], rubric: Rubric) -> tuple[str, ...]:
    """The components that ``rubric`` asks for and that were not judged; none for what cannot be read.

    A check that is missing among others of its component does not apply to what was handed in.
    """
    if stored["unreadable"]:
        return ()
    judged = {check["component"] for check in (*stored["checks"], *stored.get("unscored", ()))}
    asked = {check.id.partition(".")[0] for criterion in rubric.criteria for check in criterion.checks}
    return tuple(sorted(asked - judged))


def rerun(
    results: Results, entries: Iterable[Entry], settings: Settings, workforce: Workforce, *, everything: bool = False
) -> Iterator[tuple[str, Outcomes]]:
    """Run what the new rubric of ``settings`` asks for and was not judged; yield new outcomes by key.

    ``everything`` runs all components again, as after a check was mended. Submissions that changed since they were
    graded are refused with a GraderError: they need `grader grade`.
    """
    by_components: dict[tuple[str, ...], list[Entry]] = {}
    students, handed_in = results.index()["students"], {entry.key: entry for entry in entries}
    for key, stored in results.all_reports():
        components = settings.components or settings.assignment.components
        wanted = components if everything and not stored["unreadable"] else lacks(stored, settings.rubric)
        if not wanted:
            continue
        entry = handed_in.get(key)
        if entry is None or digest_of(entry) != students.get(key, {}).get("sha256"):
            what = "is not in the source" if entry is None else "changed since it was graded"
            raise GraderError(what, key, "Run `grader grade` with the new rubric instead.")
        by_components.setdefault(tuple(wanted), []).append(entry)
    for wanted, some in by_components.items():
        partly = replace(settings, components=wanted, rubric=select(settings.rubric, wanted))
        for entry, text in graded(some, partly, workforce):
            yield entry.key, stored_outcomes(json.loads(text))


def outcome_of(check: Mapping[str, Any]) -> Outcome:
    """Read an outcome back from a stored report."""
    example, named, stored = check["counterexample"], check["misconception"], check["location"]
    place = stored and Location(stored["file"], stored["line"], stored["cell"])
    begins = bool(place) and stored.get("begins", False)
    return Outcome(
        check=check["id"], component=check["component"], title=check["title"], verdict=Verdict(check["verdict"]),
        passed=check["passed"], asked=check["asked"], message=check["message"],
        counterexample=example and _reader(Counterexample).validate_python(example),
        diagnosis=named and _diagnosis(named),
        location=None if begins else place, begins=place if begins else None,
        staff_note=check["staff_note"] or "", notes=tuple(check["notes"]), duration_s=check["duration_s"],
        answer=stored_answer(check["answer"]) if check.get("answer") else None, reason=Reason(check.get("reason", "")),
        tells=Tells(check.get("tells", "named")),  # earlier versions do not say: the message stays as it is
    )  # fmt: skip


def stored_answer(stored: Mapping[str, Any]) -> Answer:
    """Read an answer back from a stored report."""
    found: Answer = _reader(Answer).validate_python(stored)
    return found


@cache
def _reader(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _diagnosis(named: Mapping[str, Any]) -> Diagnosis:
    ids = [tuple(one.split(" + ")) for one in (named["id"], *named["family"])]  # as every version has stored them
    by = By(named["evidence"]) if named["evidence"] in set(By) else By.KEY
    return Diagnosis(
        ids[0], named["title"], tuple(ids[1:]), by, named.get("hints", {}), named["reread"], named.get("component", ""),
    )  # fmt: skip


def keep(results: Results, found: Iterable[Change], settings: Settings, reason: str) -> None:
    """Write the new reports and their lines of the index, and the history of every score that moved.

    Raises GraderError where nothing can be written.
    """
    index, wanted = results.open_index(), fingerprint(settings)
    index.begin({"schema": FORMAT, "rubric": settings.rubric.id})
    try:
        for change in found:
            results.write_report(change.key, json_report.render(change.report, "staff"))
            row = index.row(change.key) or {}
            made_under = {**index.head["settings"].get(row.get("settings", ""), wanted), "rubric": wanted["rubric"]}
            index.know(digest(made_under), made_under)
            index.put(change.key, {**row, **scored(change.report), "settings": digest(made_under)})
            if change.moved:
                results.record([history_line(change, reason)])
    finally:
        index.close()


def _equal(before: str | None, after: str | None) -> bool:
    return before is not None and after is not None and Decimal(before) == Decimal(after)


def history_line(change: Change, reason: str) -> dict[str, Any]:
    """One line of the history."""
    return {
        "when": now(), "student": change.key, "before": str(change.before), "after": str(change.after),
        "criteria": change.criteria, "reason": reason,
    }  # fmt: skip
