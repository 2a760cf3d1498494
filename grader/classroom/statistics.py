"""What a class got right and wrong: per check and criterion, and the named mistakes by count."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom.results import Results


@dataclass(frozen=True, slots=True)
class CheckStatistics:
    """One check over the class.

    ``pass_rate`` is the share that passed, ``discrimination`` the correlation of passing with the rest of the score
    (point-biserial, in [-1, 1]; None where all did alike): near 0 or below, the check tells nothing or is broken.
    """

    id: str
    judged: int
    pass_rate: float
    discrimination: float | None


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """A class at a glance; scores in points."""

    students: int
    graded: int
    unreadable: int
    pending: int
    max_score: float
    mean: float
    median: float
    spread: float
    checks: tuple[CheckStatistics, ...]
    mistakes: tuple[tuple[str, int], ...]


def of(results: Results) -> ClassStatistics:
    """Read every report once and count."""
    scores: list[float] = []
    passed: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    mistakes: Counter[str] = Counter()
    students = unreadable = pending = 0
    maximum = 0.0
    for _, report in results.all_reports():
        students += 1
        if report["verdict"] == "unreadable":
            unreadable += 1
            continue
        pending += report["pending"] > 0
        maximum = max(maximum, report["max_score"])
        scores.append(report["score"])
        for check in report["checks"]:
            if check["verdict"] not in {"skipped", "undetermined", "fault"}:
                own = check["points"] or 0
                passed[check["id"]].append((check["verdict"] == "passed", report["score"] - own))
        mistakes.update({check["misconception"]["id"] for check in report["checks"] if check.get("misconception")})
    return ClassStatistics(
        students, len(scores), unreadable, pending, maximum,
        round(statistics.fmean(scores), 4) if scores else 0.0, statistics.median(scores) if scores else 0.0,
        round(statistics.pstdev(scores), 4) if scores else 0.0,
        tuple(_check(check, found) for check, found in passed.items()),
        tuple(sorted(mistakes.items(), key=lambda pair: (-pair[1], pair[0]))),
    )  # fmt: skip


def _check(check: str, found: Sequence[tuple[bool, float]]) -> CheckStatistics:
    rate = sum(ok for ok, _ in found) / len(found)
    return CheckStatistics(check, len(found), round(rate, 4), _correlation(found))


def _correlation(found: Sequence[tuple[bool, float]]) -> float | None:
    right, rest = [float(ok) for ok, _ in found], [score for _, score in found]
    if len(set(right)) == 1 or len(set(rest)) == 1:
        return None
    return round(statistics.correlation(right, rest), 4)
