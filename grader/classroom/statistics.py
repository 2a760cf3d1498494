"""What a class got right and wrong: per check, the named mistakes by count, and whose work a person has to look at."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from grader.classroom.decisions import answer_of, digest, standing
from grader.classroom.policy import Policy
from grader.classroom.results import CHECKS, Results
from grader.classroom.row import rows


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
class Example:
    """How a mistake shows in the work of one student: the check that it failed, its inputs and answers as text."""

    key: str
    check: str
    title: str
    inputs: Mapping[str, str]
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A named mistake, how many of the class make it, the keys of who does, and the shortest example of it."""

    id: str
    title: str
    students: int
    who: tuple[str, ...] = ()
    example: Example | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A student whose work a person should look at; ``parts`` are the components that it is about."""

    key: str
    name: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """A class at a glance; scores in points. ``spread`` is the standard deviation.

    ``verdicts`` counts submissions by verdict; ``noted`` names students by what happened: ``absent`` (on the roster,
    nothing handed in), ``unreadable``, ``fault`` (the grader failed), ``undetermined`` (a person decides), ``timeout``,
    ``memory``, ``crashed``, ``missing`` (a part that is not there). What did not happen is left out.
    """

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
    verdicts: Mapping[str, int]
    noted: Mapping[str, tuple[Noted, ...]]


NOTED = ("absent", "unreadable", "broken", "fault", "undetermined", "timeout", "memory", "crashed", "missing")
_NO_MISTAKE = frozenset({"passed", "undetermined", "fault", "skipped"})
"""What is named on such a check is a remark on right work, or waits for a person."""


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

    A check that a prerequisite set aside counts as it was judged; one that nobody could be asked is left out. A mistake
    counts where its check failed: what is merely noted on a check that passed cost nothing and is none.
    """
    scores: list[float] = []
    checks: dict[str, _Seen] = {}
    titles: dict[str, str] = {}
    makers: dict[str, list[str]] = {}
    examples: dict[str, Example] = {}
    verdicts: Counter[str] = Counter()
    noted: dict[str, list[Noted]] = {kind: [] for kind in NOTED}
    index, (held, _) = results.index(), standing(results)
    here = {name for row in index["students"].values() for name in (row["name"], *row["members"])}
    noted["absent"] = [Noted("", name) for name in _absent(index, results.overrides()) if name not in here]
    students = unreadable = pending = 0
    maximum = 0.0
    counting = {row.report for row in rows(results, Policy())} if index.get("attempt") in {"latest", "best"} else None
    for key, report in results.all_reports():
        if counting is not None and key not in counting:
            continue  # another attempt of the same student counts
        students += 1
        verdicts[report["verdict"]] += 1
        own, answers = held.get(key, {}), held.get(CHECKS, {}).get(key, {})
        for kind, parts in _to_look_at(report, own, answers).items():
            noted[kind].append(Noted(key, report["submission"]["submitter"] or key, parts))
        maximum = max(maximum, report["max_score"])
        if report["verdict"] == "unreadable":
            unreadable += 1
            continue
        pending += any(part["pending"] and part["id"] not in own for part in report["criteria"])
        scores.append(report["score"])
        named: dict[str, str] = {}
        for check in report["checks"]:
            _count(checks, check, report["score"])
            judged = check.get("judged") or check
            if judged["misconception"] and judged["verdict"] not in _NO_MISTAKE:
                known = judged["misconception"]
                named[known["id"]] = known["title"]
                _shorter(examples, known["id"], _example(key, judged))
        for mistake in named:
            makers.setdefault(mistake, []).append(key)
        titles |= named
    counted = sorted(makers.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return ClassStatistics(
        students, len(scores), unreadable, pending, maximum,
        round(statistics.fmean(scores), 4) if scores else 0.0, statistics.median(scores) if scores else 0.0,
        round(statistics.pstdev(scores), 4) if scores else 0.0, min(scores, default=0.0), max(scores, default=0.0),
        tuple(_check(name, seen) for name, seen in checks.items() if seen.asked),
        tuple(Mistake(name, titles[name], len(who), tuple(who), examples.get(name)) for name, who in counted),
        dict(sorted(verdicts.items())), {kind: tuple(who) for kind, who in noted.items() if who},
    )  # fmt: skip


def _example(key: str, check: Mapping[str, Any]) -> Example | None:
    """The failing case of a check, unless it is too long to be shown to a class."""
    case = check["counterexample"]
    if not case or not case["expected"] or case["expected"] == case["got"]:
        return None
    return Example(key, check["id"], check["title"], case["inputs"], case["expected"], case["got"])


def _shorter(known: dict[str, Example], id: str, found: Example | None) -> None:
    if found is not None and (id not in known or _length(found) < _length(known[id])):
        known[id] = found


def _length(example: Example) -> int:
    return sum(map(len, example.inputs.values())) + len(example.expected) + len(example.got)


def _absent(index: Mapping[str, Any], decided: Mapping[str, Any]) -> list[str]:
    """Who handed in nothing, and has neither an excuse nor points by hand: nobody has looked at them yet."""
    keys = (one["key"] for one in index.get("absentees", ()))
    return [name for name, key in zip_longest(index.get("absent", ()), keys) if name and not decided.get(key)]


def _to_look_at(
    report: Mapping[str, Any], decided: Mapping[str, Any], answers: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """What happened in one report that the instructor asks for by name, and in which components.

    What people ``decided`` of criteria and ``answers`` waits no more.
    """
    if report["verdict"] == "unreadable":
        return {"unreadable": ()}
    if report["checks"] and all((check.get("judged") or check)["verdict"] == "error" for check in report["checks"]):
        return {"broken": ()}  # a syntax error, as a rule
    found: dict[str, dict[str, None]] = {"fault": {}} if report["verdict"] == "fault" else {}
    for check in report["checks"]:
        verdict = (check.get("judged") or check)["verdict"]
        own = answers.get(check["id"], {}).get("answer")
        settled = check.get("criterion") in decided or (own is not None and own == digest(answer_of(check)))
        if verdict in NOTED and not (settled and verdict == "undetermined"):
            found.setdefault(verdict, {})[check["component"]] = None
    return {kind: tuple(parts) for kind, parts in found.items()}


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
