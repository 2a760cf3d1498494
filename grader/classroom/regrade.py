"""Scores over time: a new rubric applied to stored outcomes; code runs only where a component was never judged."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from grader.classroom.batch import graded
from grader.classroom.entry import Entry
from grader.classroom.executors import Workforce
from grader.classroom.rescoring import lacks, rescored
from grader.classroom.results import FORMAT, Results, now
from grader.classroom.standing import digest, digest_of, fingerprint
from grader.classroom.worker import scored
from grader.errors import GraderError
from grader.model.assignment import Assignment, Rubric
from grader.model.report import Report, Settings
from grader.report import json_report
from grader.report.stored import Outcomes, stored_outcomes
from grader.score import select


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
