"""What a report in JSON holds, read back: outcomes and answers."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from grader.model.outcome import Answer, By, Counterexample, Diagnosis, Location, Outcome, Reason, Tells, Verdict

Outcomes = tuple[Outcome, ...]


def stored_outcomes(stored: Mapping[str, Any]) -> Outcomes:
    """Every outcome of a stored report as it was judged, before any prerequisite set it aside."""
    checks = (*stored["checks"], *stored.get("unscored", ()))
    return tuple(outcome_of(check.get("judged") or check) for check in checks)


def outcome_of(check: Mapping[str, Any]) -> Outcome:
    """Read an outcome back from a stored report."""
    example, named, stored = check["counterexample"], check["misconception"], check["location"]
    place = stored and Location(stored["file"], stored["line"], stored["cell"])
    begins = bool(place) and stored.get("begins", False)
    return Outcome(
        check=check["id"], component=check["component"], title=check["title"], verdict=Verdict(check["verdict"]),
        passed=check["passed"], asked=check["asked"], message=check["message"],
        counterexample=example and read_as(Counterexample, example),
        diagnosis=named and _diagnosis(named),
        location=None if begins else place, begins=place if begins else None,
        staff_note=check["staff_note"] or "", notes=tuple(check["notes"]), duration_s=check["duration_s"],
        answer=stored_answer(check["answer"]) if check.get("answer") else None, reason=Reason(check.get("reason", "")),
        unimported=check.get("unimported", ""), mark=check.get("mark", ""),
        tells=Tells(check.get("tells", "named")),  # earlier versions do not say: the message stays as it is
    )  # fmt: skip


def stored_answer(stored: Mapping[str, Any]) -> Answer:
    """Read an answer back from a stored report."""
    found: Answer = read_as(Answer, stored)
    return found


def read_as(kind: type, stored: Any) -> Any:
    """Read a record of the model back as it was stored."""
    return _reader(kind).validate_python(stored)


@cache
def _reader(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _diagnosis(named: Mapping[str, Any]) -> Diagnosis:
    ids = [tuple(one.split(" + ")) for one in (named["id"], *named["family"])]  # as every version has stored them
    by = By(named["evidence"]) if named["evidence"] in set(By) else By.KEY
    return Diagnosis(
        ids[0], named["title"], tuple(ids[1:]), by, named.get("hints", {}), named["reread"], named.get("component", ""),
    )  # fmt: skip
