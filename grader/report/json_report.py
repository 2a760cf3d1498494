"""The report as data: ``grader/report/v1``. Keys are only ever added; :mod:`grader.report.schema` describes them."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from grader.catalog.worth import earned, worth
from grader.model.assignment import HintLevel
from grader.model.outcome import Answer, Counterexample, Diagnosis, Location, Outcome, Verdict, joined
from grader.model.report import Mark, Report
from grader.report.findings import Finding, at_least, finding_of
from grader.report.view import PUBLIC_SEED, Seen, View, as_seen

FORMAT = "grader/report/v1"


def render(report: Report, view: View = "staff", *, level: HintLevel | None = None) -> str:
    """Return the report as JSON text, keys in a fixed order, so that equal reports are equal bytes."""
    return written(data(report, view, level=level))


def written(found: Mapping[str, Any]) -> str:
    """Return a report that is data already as the same text."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def data(report: Report, view: View = "staff", *, level: HintLevel | None = None) -> dict[str, Any]:
    """Return the report as plain data. A student's has no hidden checks, and no seed that is a secret."""
    seen = as_seen(report, view, level or (HintLevel.EXPLANATION if view == "staff" else None))
    shown = seen.report
    secret = view == "student" and shown.seed != PUBLIC_SEED
    return {
        "schema": FORMAT,
        "grader_version": shown.grader_version,
        "assignment": _of(shown.assignment, "id", "version", "title", "sha256"),
        "rubric": _of(shown.rubric, "id", "version", "sha256"),
        "submission": _of(shown.submission, "id", "path", "submitter", "submitted_at", "late", "sha256"),
        "seed": None if secret else shown.seed,
        "isolation": _of(shown.isolation, "requested", "applied", "mechanisms", "missing"),
        "versions": dict(shown.versions),
        "view": view,
        "score": _number(shown.score),
        "max_score": _number(shown.max_score),
        "pending": _number(shown.pending),
        "visible": {"points": _number(shown.max_score), "of": _number(seen.of)},
        "verdict": str(shown.verdict),
        "unreadable": shown.unreadable or None,
        "notes": list(shown.notes),
        "criteria": [_criterion(mark) for mark in shown.marks],
        "checks": [
            _check(seen, mark, outcome, weights)
            for mark, weights in ((mark, _weights(mark)) for mark in shown.marks)
            for outcome in mark.outcomes
        ],
        "unscored": [_found(outcome) for outcome in shown.unscored],
    }


def _of(thing: Any, *names: str) -> dict[str, Any]:
    """The attributes of those names, under them; tuples as lists, as JSON has them."""
    return {name: _plain(getattr(thing, name)) for name in names}


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _criterion(mark: Mark) -> dict[str, Any]:
    criterion = mark.criterion
    return {
        **_of(criterion, "id", "title"),
        "points": _number(mark.points),
        "max_points": _number(criterion.points),
        "pending": _number(mark.pending),
        "verdict": str(mark.verdict),
        **_of(criterion, "credit", "bonus"),
        "audience": str(criterion.audience),
        "reason": mark.reason or None,
        "checks": [check.id for check in criterion.checks],
    }


def _weights(mark: Mark) -> dict[str, tuple[Decimal, str]]:
    shares = worth(mark.criterion)
    return {check.id: (shares[check.id], str(check.audience)) for check in mark.criterion.checks}


_CHECK = (
    "id", "component", "criterion", "title", "verdict", "fraction", "passed", "asked", "points", "max_points",
    "message", "reason", "tells", "hint", "misconception", "counterexample", "judged", "location", "notes",
    "staff_note", "audience", "duration_s", "answer", "unimported", "mark",
)  # fmt: skip
"""The fields of a check in their order: those of what was found, with what it is worth between."""


def _check(seen: Seen, mark: Mark, outcome: Outcome, weights: dict[str, tuple[Decimal, str]]) -> dict[str, Any]:
    share, audience = weights[outcome.check]
    failed = outcome.verdict is not Verdict.PASSED
    hints = Finding(mark, outcome, (), seen.level).hints() if failed else ()
    named = outcome.diagnosis if at_least(seen.level, HintLevel.HINT) else None
    told = failed and outcome.verdict is not Verdict.SKIPPED
    place = finding_of(mark, outcome, seen).place if told else outcome.location
    found = _found(outcome, seen.view) | {
        "criterion": mark.criterion.id,
        "fraction": round(outcome.fraction, 4),
        "points": _number(earned(mark.criterion, share, outcome)) if mark.criterion.credit != "all" else None,
        "max_points": _number(share),
        "hint": " ".join(hints) or None,
        "misconception": named and _misconception(named, seen.view),
        "judged": outcome.judged and _found(outcome.judged),
        "location": place and _location(place, begins=outcome.location is None),
        "audience": audience,
    }
    return {name: found[name] for name in _CHECK if name in found}


def _location(place: Location, *, begins: bool = False) -> dict[str, Any]:
    return {**_of(place, "file", "line", "cell"), "begins": begins}


def _answer(answer: Answer, view: View) -> dict[str, Any]:
    """What was written; for staff with what a person needs to decide on it, the model answer among it."""
    spans = [_of(span, "start", "end", "label", "kind") for span in answer.spans]
    found = {"text": answer.text, "spans": spans, "suggested": answer.suggested}
    if view != "staff":
        return found
    places = [_of(place, "file", "page", "box", "picture") for place in answer.places]
    more = {**_of(answer, "together", "question", "model", "why"), "places": places}
    return found | {name: value for name, value in more.items() if value}


def _misconception(named: Diagnosis, view: View) -> dict[str, Any]:
    return {
        **_of(named, "id", "title", "ids"),
        "family": [joined(ids) for ids in named.family],
        "evidence": str(named.by),
        **_of(named, "reread", "component"),
        "hints": dict(named.hints) if view == "staff" else {},
    }


def _found(outcome: Outcome, view: View = "staff") -> dict[str, Any]:
    """What was found, without points: enough to score it by another rubric."""
    named, place = outcome.diagnosis, outcome.location
    return {
        "id": outcome.check,
        **_of(outcome, "component", "title"),
        "verdict": str(outcome.verdict),
        **_of(outcome, "passed", "asked", "message"),
        "reason": str(outcome.reason),
        "tells": str(outcome.tells),
        "misconception": named and _misconception(named, "staff"),
        "counterexample": outcome.counterexample and _counterexample(outcome.counterexample),
        "location": place and _location(place),
        "notes": list(outcome.notes),
        "staff_note": outcome.staff_note or None,
        "duration_s": round(outcome.duration_s, 4),
        **_where_there_is(outcome, view),
    }


def _where_there_is(outcome: Outcome, view: View) -> dict[str, Any]:
    """What most outcomes have nothing of: what was written, a package that is not imported, a mark on a sheet."""
    written = {"answer": _answer(outcome.answer, view)} if outcome.answer else {}
    return written | _of(outcome, *(name for name in ("unimported", "mark") if getattr(outcome, name)))


def _counterexample(example: Counterexample) -> dict[str, Any]:
    shown = _of(
        example, "inputs", "expected", "got", "max_error", "where", "why", "snippet", "hidden", "part", "function"
    )
    return shown | ({"picture": _plain(asdict(example.picture))} if example.picture else {})


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
