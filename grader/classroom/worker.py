"""What a worker does with one submission: grade it, and return its report as text and its line of the index.

A worker is a process of this machine or a thread of a Dask worker; each keeps a sandbox of its own.
"""

import logging
import threading
import traceback
from collections.abc import Mapping
from functools import cache
from typing import Any

from grader.classroom.entry import Entry
from grader.model.outcome import Verdict
from grader.model.report import Report, Settings
from grader.model.submission import Submission
from grader.pipeline import grade, unjudged
from grader.report import json_report
from grader.sandbox.parent import Sandbox, ZygoteDied
from grader.sandbox.plain import Isolation, IsolationError
from grader.score import nothing, score

Graded = tuple[str, dict[str, Any]]


def work(submission: Submission, settings: Settings, entry: Entry) -> Graded:
    """Grade one submission. Raises what the sandbox raises where it cannot be had."""
    try:
        report = grade(
            submission, settings, _sandbox(settings.isolation, settings.assignment.needs_torch, threading.get_ident())
        )
    except (IsolationError, ZygoteDied, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - ours: this submission is marked as a fault, and the class goes on
        return fault(entry, settings, "the grader itself failed here", traceback.format_exc())
    return finished(report, entry)


@cache
def _sandbox(level: Any, torch: bool, _thread: int) -> Any:
    """The sandbox of this thread, kept for all its submissions; its zygote dies with the process."""
    sandbox = Sandbox(level=level, torch=torch)
    sandbox.start()
    return sandbox


def finished(report: Report, entry: Entry) -> Graded:
    """Return the report as text and its line of the index."""
    row = {**labels(entry), "isolation": _held_by(report.isolation), **scored(report)}
    return json_report.render(report, "staff"), row


def _held_by(isolation: Isolation) -> str:
    """The level that was in force; of a strict one that this machine could not make whole, what it consisted of."""
    if isolation.applied != "strict" or not isolation.missing:
        return isolation.applied
    return f"strict ({', '.join(isolation.mechanisms)}; without {', '.join(isolation.missing)})"


def labels(entry: Entry) -> dict[str, Any]:
    """The part of an index line that says whose the hand-in is, when it came and what was noted; nothing that ran."""
    return {
        "name": entry.name, "ids": list(entry.ids), "members": list(entry.members),
        "submitted_at": entry.submitted_at, "late": entry.late, "attempt": entry.attempt,
        "notes": list(entry.notes), "feedback": entry.feedback,
        **({"marked": True} if entry.marked else {}),
        **({"member_ids": [list(ids) for ids in entry.member_ids]} if entry.member_ids else {}),
    }  # fmt: skip


def scored(report: Report) -> Mapping[str, Any]:
    """The part of an index line that a new rubric changes. A criterion is [points, pending, maximum]."""
    return {
        "score": f"{report.score:f}", "max_score": f"{report.max_score:f}", "pending": f"{report.pending:f}",
        "verdict": str(report.verdict),
        "criteria": {mark.criterion.id: [f"{mark.points:f}", f"{mark.pending:f}", f"{mark.criterion.points:f}"]
                     for mark in report.marks},
        "mistakes": _mistakes(report),
    }  # fmt: skip


def _mistakes(report: Report) -> list[str]:
    """The named mistakes of checks that failed, also of those set aside; what is noted on right work is none."""
    judged = (outcome.judged or outcome for mark in report.marks for outcome in mark.outcomes)
    return sorted({
        outcome.diagnosis.id for outcome in judged
        if outcome.diagnosis and outcome.verdict is not Verdict.PASSED and not outcome.verdict.pending
    })  # fmt: skip


def unreadable(entry: Entry, settings: Settings, text: str) -> Graded:
    """The report on a submission that cannot be read: every criterion listed, nothing earned."""
    return finished(unjudged(_of(entry), settings, nothing(settings.rubric), unreadable=text), entry)


def fault(entry: Entry, settings: Settings, text: str, trace: str = "") -> Graded:
    """The report on a submission at which the grader failed: all points pending, for a person to look at."""
    logging.getLogger("grader").error("%s: %s\n%s", entry.key, text, trace)
    return finished(unjudged(_of(entry), settings, score(settings.rubric, ()), notes=(text,)), entry)


def _of(entry: Entry) -> Submission:
    return Submission(entry.key, entry.name, submitter=entry.name, submitted_at=entry.submitted_at, late=entry.late)
