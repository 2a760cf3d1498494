"""Decisions of people: points that stand in the place of a criterion's own, and comments; both survive regrades."""

import hashlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from grader.classroom.names import name_form
from grader.classroom.results import CHECKS, EXCUSED, Results, now, read_json
from grader.classroom.steps import Step
from grader.errors import GraderError, nearest
from grader.model.text import StudentText

REVIEWED, SUGGESTED = "reviewed", "as suggested"
"""The reasons of decisions on answers to which nobody wrote one."""


def typed(reason: str) -> str:
    """What a person wrote of a decision; empty where nobody did."""
    return "; ".join(part for part in reason.split("; ") if part not in {REVIEWED, SUGGESTED})


def find_student(results: Results, who: str) -> tuple[str, Mapping[str, Any]]:
    """Return the key and the index line of the student called ``who``: a key, a name or an id. Raises GraderError.

    Who is on the roster and handed in nothing is found, too; a name also in another order and without its accents,
    where only one student can be meant.
    """
    students = results.everybody()
    if who in students:
        return who, students[who]
    found = called(who, students)
    if len(found) == 1:
        return found[0], students[found[0]]
    if found:
        raise GraderError(f"{who!r} could be any of {', '.join(found)}", str(results.folder), "Give the key.")
    names = ((known, row["name"]) for key, row in students.items() for known in (row["name"], key, *row["ids"]))
    raise GraderError(f"there is no student {who!r}", str(results.folder), suggestion(who, names))


def called(who: str, students: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The keys of the students whom ``who`` may mean: by key, name or id, else by the words of a name.

    A group is also told by each of its members.
    """
    wanted = who.casefold()
    return [
        key
        for key, row in students.items()
        if wanted in {known.casefold() for known in (key, row["name"], *row["ids"], *row.get("members", ()))}
    ] or [
        key
        for key, row in students.items()
        if name_form(who) in map(name_form, (row["name"], key, *row.get("members", ())))
    ]


def suggestion(who: str, known: Iterable[tuple[str, str]]) -> str:
    """The cure for a name that nobody has; ``known`` are names and ids, each with the name to show for it.

    A class is long: where nothing is near, a few names show what they look like.
    """
    shown = {name_form(name): name_shown for name, name_shown in known}
    wanted = name_form(who)
    near = (
        get_close_matches(wanted, shown, n=3, cutoff=0.6) or [name for name in shown if wanted and wanted in name][:3]
    )
    people = list(dict.fromkeys(shown[name] for name in near))
    if people:
        return f"Did you mean {' or '.join(map(repr, people))}?"
    some = list(dict.fromkeys(shown.values()))
    return (
        f"Give a name, key or id, such as {', '.join(map(repr, some[:3]))}." if some else "There is nobody in it yet."
    )


def digest(answer: str) -> str:
    """What a decision on an answer is about: the answer as it was read."""
    return hashlib.sha256(answer.encode("utf-8", "replace")).hexdigest()[:16]


def answer_of(check: Mapping[str, Any]) -> str:
    """The answer of a check of a stored report, as people see it; empty where there is none."""
    return StudentText((check.get("answer") or {"text": ""})["text"], limit=8000)


def standing(results: Results) -> tuple[dict[str, Any], dict[str, tuple[Step, ...]]]:
    """Return the decisions that hold, and by key what is said of those that no longer do.

    Points that came of reading answers hold for those answers. Once one of them has changed, the criterion counts as
    it is graded, until somebody decides again; what was decided stays in overrides.json and in the history. Points
    that an instructor set for the criterion as a whole hold whatever is handed in.
    """
    held: dict[str, Any] = {}
    changed: dict[str, tuple[Step, ...]] = {}
    for key, decisions in results.overrides().items():
        if not any("answers" in decision for decision in decisions.values()) or key.startswith("_"):
            held[key] = decisions
            continue
        report = results.report(key)
        old = {name: one for name, one in decisions.items() if report is not None and _outdated(one, report)}
        held[key] = {name: one for name, one in decisions.items() if name not in old}
        if old:
            changed[key] = tuple(
                Step(
                    f"the answer changed since {one['by'] or 'somebody'} gave {one['points']} points,"
                    " which no longer count",
                    name,
                )
                for name, one in old.items()
            )
    return held, changed


def _outdated(decision: Mapping[str, Any], report: Mapping[str, Any]) -> bool:
    """Say whether an answer that was decided on has changed; one that is not kept any more, by its hand-in."""
    handed_in_again = report["submission"]["sha256"] != decision.get("submission")
    checks = {check["id"]: check for check in report["checks"]}
    for name, known in decision.get("answers", {}).items():
        check = checks.get(name, {})
        answer = answer_of(check)
        # a picture has no text to compare, and what is not kept any more may have been anything
        if digest(answer) != known if answer else handed_in_again or check.get("verdict") == "missing":
            return True
    return False


def decide(
    results: Results, key: str, criterion: str, points: Decimal, reason: str, by: str = "",
    about: Mapping[str, Any] | None = None,
) -> Decimal:  # fmt: skip
    """Put ``points`` in the place of a criterion's own, and return those that counted until now.

    Who handed in nothing has the criteria of the class. Raises GraderError where there is no such criterion.
    ``about`` names what the decision rests on: ``answers``, digests by check, ``each``, what was given for them, and
    ``submission``, the hand-in's hash.
    """
    row = results.everybody()[key]
    if criterion not in row["criteria"]:
        known = tuple(row["criteria"])
        raise GraderError(f"there is no criterion {criterion!r}", key, nearest(criterion, known))
    graded, _, most = row["criteria"][criterion]
    if not 0 <= points <= Decimal(most):
        raise GraderError(
            f"{points} points are not between 0 and {most}", criterion, "A bonus is a criterion of its own."
        )
    overrides = results.overrides()
    before = overrides.get(key, {}).get(criterion, {}).get("points", graded)
    report = results.report(key)
    work = {"submission": report["submission"]["sha256"]} if report else {}
    decision = {"points": f"{points:f}", "reason": reason, "by": by, "when": now(), **work, **(about or {})}
    overrides.setdefault(key, {})[criterion] = decision
    _keep(results, overrides, key, reason, by, criteria={criterion: [before, f"{points:f}"]})
    return Decimal(before)


def _keep(results: Results, overrides: Mapping[str, Any], key: str, reason: str, by: str, **what: Any) -> None:
    """Write the decisions, and into the history ``what`` was decided of a student."""
    about = {"when": now(), "student": key, "criteria": {}, "reason": reason, "by": by, "kind": "override"}
    results.record([{**about, **what}])
    results.write_overrides({name: kept for name, kept in overrides.items() if kept})


def excuse(results: Results, key: str, reason: str, by: str = "") -> None:
    """Excuse a student, whatever was handed in and whatever the policy says."""
    overrides = results.overrides()
    overrides.setdefault(key, {})[EXCUSED] = {"reason": reason, "by": by, "when": now()}
    _keep(results, overrides, key, reason, by, excused=True)


def excuse_no_more(results: Results, key: str, reason: str, by: str = "") -> None:
    """Take an excuse back that a person gave here. Raises GraderError where there is none."""
    overrides = results.overrides()
    if EXCUSED not in overrides.get(key, {}):
        raise GraderError("was not excused here", key, "An excuse in the policy is taken back there.")
    del overrides[key][EXCUSED]
    _keep(results, overrides, key, reason, by, excused=False)


def withdraw(results: Results, key: str, criterion: str, reason: str, by: str = "") -> Decimal:
    """Take a decision back: the criterion counts as it was graded. Return the points that counted until now.

    Raises GraderError where there is no such decision.
    """
    overrides = results.overrides()
    if criterion not in overrides.get(key, {}):
        raise GraderError("was never overridden", f"{key}: {criterion}", "Nothing to take back.")
    before = overrides[key].pop(criterion)["points"]
    _ask_again(overrides, key, criterion, results.report(key))
    _keep(results, overrides, key, reason, by, criteria={criterion: [before, None]})
    return Decimal(before)


def _ask_again(overrides: Mapping[str, Any], key: str, criterion: str, report: Mapping[str, Any] | None) -> None:
    """Forget what was decided on the answers of a criterion: they wait for a person again."""
    answers = overrides.get(CHECKS, {}).get(key, {})
    for check in report["checks"] if report else ():
        if check["criterion"] == criterion:
            answers.pop(check["id"], None)


def outlived(results: Results) -> tuple[tuple[str, str, Mapping[str, Any]], ...]:
    """The points by hand that stand although other work was handed in since: key, criterion and decision."""
    found = []
    for key, decisions in results.overrides().items():
        report = None if key.startswith("_") else results.report(key)
        for name, one in decisions.items() if report else ():
            if "points" in one and "answers" not in one and one.get("submission", "") not in {
                "", report["submission"]["sha256"] if report else ""
            }:  # fmt: skip
                found.append((key, name, one))
    return tuple(found)


def comments(results: Results) -> dict[str, str]:
    """Comments of people by key."""
    return read_json(results.folder / "comments.json", {})


def comment(results: Results, key: str, text: str) -> None:
    """Set the comment that a student reads; an empty one takes it away. Raises GraderError."""
    kept = {**comments(results), key: text}
    results.write_json("comments.json", {name: said for name, said in kept.items() if said})
