"""What a class got right and wrong: per check and criterion, and the named mistakes by count."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.classroom.results import Results


@dataclass(frozen=True, slots=True)
class CheckStatistics:
    """One check over the class.

    ``pass_rate`` is the share that passed, ``difficulty`` the share of cases that were wrong (both in [0, 1]),
    ``discrimination`` the correlation of passing with the rest of the score (point-biserial, in [-1, 1]; None where all
    did alike): near 0 or below, the check tells nothing or is broken.
    """

    id: str
    title: str
    judged: int
    passed: int
    pass_rate: float
    difficulty: float
    discrimination: float | None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A named mistake and how many of the class make it."""

    id: str
    title: str
    students: int


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """A class at a glance; scores in points. ``spread`` is the standard deviation."""

    students: int
    graded: int
    unreadable: int
    pending: int
    max_score: float
    mean: float
    median: float
    spread: float
    lowest: float
    highest: float
    checks: tuple[CheckStatistics, ...]
    mistakes: tuple[Mistake, ...]


@dataclass(slots=True)
class _Seen:
    """What is counted of one check: passed, share of cases, and the rest of the score, a student each."""

    title: str
    asked: bool
    passed: list[bool]
    fractions: list[float]
    rest: list[float]


def of(results: Results) -> ClassStatistics:
    """Read every report once and count.

    A check that a prerequisite set aside counts as it was judged; one that nobody could be asked is left out.
    """
    scores: list[float] = []
    checks: dict[str, _Seen] = {}
    mistakes: Counter[str] = Counter()
    titles: dict[str, str] = {}
    students = unreadable = pending = 0
    maximum = 0.0
    for _, report in results.all_reports():
        students += 1
        maximum = max(maximum, report["max_score"])
        if report["verdict"] == "unreadable":
            unreadable += 1
            continue
        pending += report["pending"] > 0
        scores.append(report["score"])
        named = {}
        for check in report["checks"]:
            _count(checks, check, report["score"])
            if found := (check.get("judged") or check)["misconception"]:
                named[found["id"]] = found["title"]
        mistakes.update(named.keys())
        titles |= named
    counted = sorted(mistakes.items(), key=lambda pair: (-pair[1], pair[0]))
    return ClassStatistics(
        students, len(scores), unreadable, pending, maximum,
        round(statistics.fmean(scores), 4) if scores else 0.0, statistics.median(scores) if scores else 0.0,
        round(statistics.pstdev(scores), 4) if scores else 0.0, min(scores, default=0.0), max(scores, default=0.0),
        tuple(_check(name, seen) for name, seen in checks.items() if seen.asked),
        tuple(Mistake(name, titles[name], count) for name, count in counted),
    )  # fmt: skip


def _count(checks: dict[str, _Seen], check: Mapping[str, Any], score: float) -> None:
    found = check.get("judged") or check
    if found["verdict"] in {"undetermined", "fault", "skipped"}:
        return
    seen = checks.setdefault(check["id"], _Seen(check["title"], False, [], [], []))
    seen.asked |= found["asked"] > 0
    passed = found["verdict"] == "passed"
    seen.passed.append(passed)
    seen.fractions.append(1.0 if passed else found["passed"] / found["asked"] if found["asked"] else 0.0)
    seen.rest.append(score - (check["points"] or 0))


def _check(name: str, seen: _Seen) -> CheckStatistics:
    count, passed = len(seen.passed), sum(seen.passed)
    difficulty = round(1 - statistics.fmean(seen.fractions), 4)
    pairs = list(zip(seen.passed, seen.rest, strict=True))
    return CheckStatistics(name, seen.title, count, passed, round(passed / count, 4), difficulty, _correlation(pairs))


def _correlation(found: Sequence[tuple[bool, float]]) -> float | None:
    right, rest = [float(ok) for ok, _ in found], [score for _, score in found]
    if len(set(right)) == 1 or len(set(rest)) == 1:
        return None
    return round(statistics.correlation(right, rest), 4)
