"""What waits for a person in a results folder, and what people have decided about it.

Decisions on single answers lie in overrides.json under ``_checks``; once everything of a criterion is decided, its
points become an override like any other and count in every gradebook. Both survive regrades; a decision about an answer
that was handed in anew since comes up again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from typing import Any

from grader.classroom.decisions import REVIEWED, answer_of, digest, standing
from grader.classroom.decisions import decide as override
from grader.classroom.results import CHECKS, Results, now
from grader.errors import GraderError, nearest
from grader.model.outcome import Answer, Reason
from grader.model.text import StudentText
from grader.report.stored import stored_answer

CENT = Decimal("0.01")
STEP = Decimal("0.0001")
"""The finest share of points that a decision on a whole hand-in is spread in."""

WHOLE = "*"
"""The check of an item that is a whole hand-in: a file that no program can read is one item, not one a question."""


@dataclass(frozen=True, slots=True)
class Item:
    """One answer that waits for up to ``most`` points: what it is, apart from how it is shown.

    ``title`` names the question. ``answer`` holds what was written, with the evidence in it, the question as it was
    asked, the model answer, the share suggested and why, and the places on a page with their pictures (see
    ``grader.model.Answer``). ``message`` is what the student is told, ``staff_note`` and ``notes`` are for whoever
    decides; ``before`` says what was decided about an older answer. ``parts`` are the questions of a hand-in that no
    program can read: its points are spread over them.
    """

    key: str
    student: str
    check: str
    criterion: str
    title: str
    answer: Answer
    most: Decimal
    message: str = ""
    staff_note: str = ""
    notes: tuple[str, ...] = ()
    before: str = ""
    parts: tuple[Item, ...] = ()
    reason: Reason = Reason.JUDGED

    @property
    def suggested(self) -> Decimal | None:
        """The points that the grader would propose; None where it has no opinion."""
        share = self.answer.suggested
        return None if share is None else (self.most * Decimal(str(share))).quantize(CENT)

    @property
    def evidence(self) -> list[tuple[str, str, str]]:
        """Kind and label of what was marked in the answer, each once, with the words that were."""
        found: dict[tuple[str, str], dict[str, None]] = {}
        for span in self.answer.spans:
            words = self.answer.text[span.start : span.end].strip()
            found.setdefault((span.kind, span.label), {})[words] = None
        return [(kind, label, ", ".join(words)) for (kind, label), words in found.items()]

    @property
    def remarks(self) -> list[str]:
        """What there is to say to whoever decides, besides the evidence."""
        return [text for text in (self.message, self.answer.why, self.staff_note, *self.notes) if text]

    @property
    def digest(self) -> str:
        """What a decision is about: the answer as it was read."""
        return digest(self.answer.text)


def typed_points(text: str) -> Decimal | None:
    """Return the points that a person typed, with a comma or a full stop; None where these are none."""
    try:
        found = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def waiting(results: Results, only: str = "") -> tuple[Item, ...]:
    """Return what is undecided, by check and then student.

    ``only`` is a section, a check (with its section or without), a criterion or a student's key. GraderError where
    no report has it.
    """
    held, _ = standing(results)
    found: list[Item] = []
    known: set[str] = set()
    for key, report in results.all_reports():
        found += [item for item in _items(key, report) if not only or only in _names(key, item.check, item.criterion)]
        if only:
            known.update(*(_names(key, check["id"], check["criterion"]) for check in report["checks"]))
    if only and only not in known:
        raise GraderError(f"there is no {only!r} in these results", "--only", nearest(only, tuple(sorted(known))))
    kept = [item for item in (_with_history(item, held) for item in found) if item is not None]
    return tuple(sorted(_folded(kept), key=lambda item: (item.check, item.key)))


def _names(key: str, check: str, criterion: str) -> set[str]:
    section, _, question = check.partition(".")
    return {key, check, criterion, section, question}


def decided(results: Results) -> dict[tuple[str, str], tuple[Item, Decimal]]:
    """Return the answers that people decided on as they stand, each with the points given, by key and check."""
    found = {}
    held = standing(results)[0].get(CHECKS, {})
    for key in held:
        report = results.report(key)
        for item in _items(key, report) if report else ():
            own = held[key].get(item.check)
            if own is not None and own["answer"] == item.digest:
                found[key, item.check] = (item, Decimal(own["points"]))
    for item in _folded([item for item, _ in found.values()]):
        if item.parts:
            points = sum((found[part.key, part.check][1] for part in item.parts), Decimal(0))
            found[item.key, item.check] = (item, points)
    return found


def _folded(items: Sequence[Item]) -> list[Item]:
    """Put together what is one decision: a hand-in that could not be read, and answers of a criterion that say so."""
    sets: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        if item.reason is Reason.UNREAD:
            sets.setdefault((item.key, item.message, item.answer.text), []).append(item)
        elif item.answer.together:
            sets.setdefault((item.key, item.criterion), []).append(item)
    several = [parts for parts in sets.values() if len(parts) > 1]
    inside = {id(part) for parts in several for part in parts}
    folded = [_whole(parts) if parts[0].reason is Reason.UNREAD else _together(parts) for parts in several]
    return [item for item in items if id(item) not in inside] + folded


def _together(parts: Sequence[Item]) -> Item:
    """Return the answers of one criterion as one item: each below its question, with what was seen in all of them."""
    text, spans = "", []
    for part in parts:
        text += f"{part.title}: "
        spans += [replace(span, start=span.start + len(text), end=span.end + len(text)) for span in part.answer.spans]
        text += f"{part.answer.text.rstrip() or '(nothing found)'}\n"
    each = [(part.title, part.answer) for part in parts]
    suggested = [answer.suggested for _, answer in each]
    answer = Answer(
        text, tuple(spans), None if None in suggested else min(filter(None, suggested), default=0.0),
        "\n".join(f"{title}: {own.question}" for title, own in each if own.question != title),
        "\n".join(f"{title}: {own.model}" for title, own in each if own.model),
        "\n".join(f"{title}: {own.why}" for title, own in each if own.why),
        tuple(dict.fromkeys(place for _, own in each for place in own.places)),
        together=True,
    )  # fmt: skip
    most = sum((part.most for part in parts), Decimal(0))
    title = f"{len(parts)} questions that are decided together"
    first, notes = parts[0], tuple(dict.fromkeys(note for part in parts for note in (part.staff_note, *part.notes)))
    message = "\n".join(dict.fromkeys(part.message for part in parts))
    return replace(
        first, check=f"{first.criterion}.{WHOLE}", title=title, answer=answer, most=most, parts=tuple(parts),
        message=message, staff_note="", notes=notes,
    )  # fmt: skip


def _whole(parts: Sequence[Item]) -> Item:
    most = sum((part.most for part in parts), Decimal(0))
    title = f"What no program can read: the {len(parts)} questions about it"
    return replace(parts[0], check=WHOLE, criterion="", title=title, most=most, parts=tuple(parts))


def _spread(item: Item, points: Decimal) -> list[tuple[Item, Decimal]]:
    """Return what each question gets of the points of an item, by what it is worth; together they are the points."""
    if not item.parts:
        return [(item, points)]
    full = points == item.most
    shares = [part.most if full else (points * part.most / item.most).quantize(STEP, ROUND_DOWN) for part in item.parts]
    left = points - sum(shares, Decimal(0))
    for at, part in enumerate(item.parts):
        more = min(left, part.most - shares[at])
        shares[at] += more
        left -= more
    return list(zip(item.parts, shares, strict=True))


def _items(key: str, report: Mapping[str, Any]) -> Iterable[Item]:
    for check in report["checks"]:
        if check["verdict"] != "undetermined":
            continue
        answer = stored_answer(check.get("answer") or {"text": "", "spans": [], "suggested": None})
        answer = replace(answer, text=StudentText(answer.text, limit=8000))
        yield Item(
            key=key,
            student=report["submission"]["submitter"] or key,
            check=check["id"],
            criterion=check["criterion"],
            title=check["title"],
            answer=answer,
            most=Decimal(str(check["max_points"])),
            message=check["message"],
            staff_note=check["staff_note"] or "",
            notes=tuple(check["notes"]),
            reason=Reason(check.get("reason", "")),
        )


def _with_history(item: Item, decided: Mapping[str, Any]) -> Item | None:
    """Return the item if it is undecided: nothing was said about this answer, and no override settles its criterion."""
    own = decided.get(CHECKS, {}).get(item.key, {}).get(item.check)
    whole = decided.get(item.key, {}).get(item.criterion)
    if own is None:
        return None if whole else item
    if own["answer"] == item.digest:
        return None
    return replace(
        item, before=f"Answer changed since the decision: {own['points']} points, by {own['by']}: {own['reason']}"
    )


def decide(
    results: Results, items: Sequence[Item], points: Decimal, reason: str, by: str, when: str = ""
) -> tuple[str, ...]:
    """Give each of ``items`` ``points``, keep who, when and why; return the criteria that are now decided in full.

    Raises GraderError for points that an item cannot have, before anything is written. The folder has to be locked.
    """
    for item in items:
        if not points.is_finite() or not 0 <= points <= item.most:
            raise GraderError(f"{points} points are not between 0 and {item.most}", f"{item.key}: {item.check}")
    moment = when or now()
    overrides = results.overrides()
    checks = overrides.setdefault(CHECKS, {})
    given = [pair for item in items for pair in _spread(item, points)]
    for item, share in given:
        checks.setdefault(item.key, {})[item.check] = {
            "points": f"{share:f}", "most": f"{item.most:f}", "reason": reason, "by": by, "when": moment,
            "answer": item.digest,
        }  # fmt: skip
    results.write_overrides(overrides)
    results.record(
        {"when": moment, "student": item.key, "check": item.check, "points": f"{share:f}", "reason": reason, "by": by,
         "kind": "review"}
        for item, share in given
    )  # fmt: skip
    settled = []
    for key, criterion in dict.fromkeys((item.key, item.criterion) for item, _ in given):
        if _settle(results, key, criterion, by):
            settled.append(f"{key}: {criterion}")
    return tuple(settled)


def take_back(results: Results, items: Sequence[Item], by: str) -> None:
    """Undo the last decision on ``items``, and the criteria that it settled. The folder has to be locked."""
    overrides = results.overrides()
    moment = now()
    for item in (part for whole in items for part in (whole.parts or (whole,))):
        overrides.get(CHECKS, {}).get(item.key, {}).pop(item.check, None)
        if "answers" in overrides.get(item.key, {}).get(item.criterion, {}):
            del overrides[item.key][item.criterion]
    results.write_overrides(overrides)
    results.record(
        {"when": moment, "student": item.key, "check": item.check, "by": by, "kind": "review undone"} for item in items
    )


def undo(results: Results, by: str) -> tuple[Item, ...]:
    """Take back what was decided last, in whatever sitting, and return it: it waits again. The folder has to be locked.

    Answers that were decided together are taken back together.
    """
    decided = [
        (one["when"], one["reason"], key, name)
        for key, answers in results.overrides().get(CHECKS, {}).items()
        for name, one in answers.items()
    ]
    last = max(decided, default=None)
    names = {(key, name) for when, reason, key, name in decided if last and (when, reason) == last[:2]}
    reports = {key: results.report(key) for key, _ in names}
    items = [item for key, report in reports.items() if report for item in _items(key, report)]
    found = tuple(item for item in items if (item.key, item.check) in names)
    take_back(results, found, by)
    return found


def _settle(results: Results, key: str, criterion: str, by: str) -> bool:
    """Turn decisions into the criterion's points once all of its answers are decided; say whether they are."""
    report = results.report(key)
    if report is None:
        return False
    decided = results.overrides().get(CHECKS, {}).get(key, {})
    graded = next(part for part in report["criteria"] if part["id"] == criterion)
    open_checks = [c for c in report["checks"] if c["criterion"] == criterion and c["verdict"] == "undetermined"]
    about = {check["id"]: digest(answer_of(check)) for check in open_checks}
    if any(decided.get(name, {}).get("answer") != answer for name, answer in about.items()):
        return False  # a decision on an older answer says nothing about this one
    given = [Decimal(decided[check["id"]]["points"]) for check in open_checks]
    if graded["credit"] == "all":
        full = given == [Decimal(str(check["max_points"])) for check in open_checks]
        points = Decimal(str(graded["max_points"])) if full and graded["pending"] else Decimal(str(graded["points"]))
    else:
        points = Decimal(str(graded["points"])) + sum(given, Decimal(0))
    reasons = dict.fromkeys(decided[check["id"]]["reason"] for check in open_checks)
    reason = "; ".join(filter(None, reasons)) or REVIEWED
    each = {name: {field: decided[name][field] for field in ("points", "most", "reason")} for name in about}
    override(results, key, criterion, min(points, Decimal(str(graded["max_points"]))), reason[:500], by,
             {"answers": about, "each": each, "submission": report["submission"]["sha256"]})  # fmt: skip
    return True
