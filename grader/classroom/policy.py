"""From points to the final score: lateness, extensions, excuses, caps and decisions of people; exact decimals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from grader.catalog.yaml_file import read_yaml, validate
from grader.classroom.decisions import called, typed
from grader.classroom.lateness import Due, days_late, untold
from grader.classroom.results import EXCUSED
from grader.classroom.steps import NOTHING, Step
from grader.report.words import points as written

CENT = Decimal("0.01")


class StudentPolicy(BaseModel):
    """What holds for one student only: a deadline of their own, late days that are left, an excuse."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    due: Due | None = None
    tokens: int | None = Field(default=None, ge=0)
    excused: bool = False


class Group(BaseModel):
    """Criteria that count together.

    ``rule``: ``min`` (all earn the lowest share that one of them earned), ``all-or-nothing`` (all must be full) or
    ``drop-lowest`` (the ``drop`` criteria with the lowest shares do not count; the others make up for their points).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    criteria: tuple[str, ...] = Field(min_length=2)
    rule: Literal["min", "all-or-nothing", "drop-lowest"]
    drop: int = Field(default=1, ge=1)


class Policy(BaseModel):
    """A policy file (policy.yaml).

    ``due`` is the deadline, with its zone; ``grace_minutes`` cost nothing; each begun day after that costs ``per_day``
    percent of the maximum; nothing is earned more than ``cut_off_days`` after the deadline. ``tokens`` are late days
    that each student may spend first. ``cap`` bounds the final score in percent of the maximum (100: a bonus makes up
    for losses and no more). ``groups`` are criteria that count together. ``absent`` says what somebody on the roster
    gets who handed in nothing: ``none`` (no grade: the cell stays empty) or ``zero``. ``students`` maps a key, id or
    name to what holds for that student.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    due: Due | None = None
    grace_minutes: int = Field(default=0, ge=0)
    per_day: Decimal = Field(default=Decimal(0), ge=0, le=100)
    cut_off_days: int | None = Field(default=None, ge=0)
    tokens: int = Field(default=0, ge=0)
    cap: Decimal | None = Field(default=None, ge=0)
    groups: tuple[Group, ...] = ()
    absent: Literal["none", "zero"] = "none"
    students: Mapping[str, StudentPolicy] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Final:
    """What is entered in the gradebook: ``points`` of ``maximum``; None where there is no grade.

    There is none for who is ``excused``, nor for who handed in nothing, unless a person or the policy gives one.
    ``steps`` say how it came about, one sentence each, for the feedback file and the history.
    """

    points: Decimal | None
    maximum: Decimal
    steps: tuple[Step, ...] = ()
    pending: Decimal = Decimal(0)
    excused: bool = False

    @property
    def none_yet(self) -> bool:
        """Whether nothing was handed in and nobody gave a grade or an excuse."""
        return self.points is None and not self.excused


def load_policy(path: Path) -> Policy:
    """Read a policy file. Raises GraderError with file, line and field."""
    return validate(read_yaml(path), Policy)


def unknown_criteria(policy: Policy, students: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """The criteria that groups of the policy name and that no rubric of the class has: such a group changes nothing."""
    known = {name for row in students.values() for name in row["criteria"]}
    asked = dict.fromkeys(name for group in policy.groups for name in group.criteria)
    return tuple(name for name in asked if known and name not in known)


def unknown(policy: Policy, students: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """The names in the policy that are nobody's key or id: misspelt, as a rule."""
    known = {name for key, row in students.items() for name in (key, key.partition(".")[0], *row["ids"])}
    return tuple(sorted(name for name in policy.students if name not in known))


def final(row: Mapping[str, Any], key: str, policy: Policy, overrides: Mapping[str, Any]) -> Final:
    """Apply decisions of people, then lateness, then the cap, to one row of the index."""
    maximum = Decimal(row["max_score"])
    own, excused = _own(row, key, policy)
    if own.excused or EXCUSED in overrides:
        reason = f" ({overrides[EXCUSED]['reason']})" if EXCUSED in overrides else ""
        return Final(None, maximum, (Step(f"excused{reason}"),), excused=True)
    if row.get("absent") and policy.absent == "none" and not overrides.keys() & row["criteria"].keys():
        return Final(None, maximum, (NOTHING,))
    criteria, steps = _decided(row, overrides)
    steps += [Step(f"{name} is excused, others of the group are not: enter that by hand") for name in excused]
    points = sum((earned for earned, _ in criteria.values()), Decimal(0))
    pending = sum(
        (Decimal(waits) for name, (_, waits, _) in row["criteria"].items() if name not in overrides), Decimal(0)
    )
    for group in policy.groups:
        change, said = _grouped(group, criteria)
        if change:
            points += change
            steps.append(Step(said))
    tokens = policy.tokens if own.tokens is None else own.tokens
    lost, said = _lateness(row, policy, own, maximum, tokens)
    if said:
        points = max(points - lost, Decimal(0))
        steps.append(Step(said))
    if policy.cap is not None and points > maximum * policy.cap / 100:
        points = maximum * policy.cap / 100
        steps.append(Step(f"capped at {policy.cap.normalize():f} % of {maximum}"))
    return Final(points.quantize(CENT, ROUND_HALF_EVEN), maximum, tuple(steps), pending)


def _own(row: Mapping[str, Any], key: str, policy: Policy) -> tuple[StudentPolicy, tuple[str, ...]]:
    """What holds for this student, or for a group: the latest deadline and the most late days of its members.

    A group is excused where all of it is; who else is excused is named.
    """
    names = dict.fromkeys((key, key.partition(".")[0], *row.get("ids", ())))
    found = {name: policy.students[name] for name in names if name in policy.students}
    if not found:
        return StudentPolicy(), ()
    excused = tuple(name for name, one in found.items() if one.excused)
    whole = len(excused) >= len(row.get("members", ()) or (key,))
    tokens = [one.tokens for one in found.values() if one.tokens is not None]
    due = max((one.due for one in found.values() if one.due), default=None)
    own = StudentPolicy(due=due, tokens=max(tokens, default=None), excused=whole)
    return own, () if whole else excused


def resolved(policy: Policy, students: Mapping[str, Mapping[str, Any]]) -> Policy:
    """Return ``policy`` with students who are called by their names under their keys, where one only can be meant.

    A member of a group is under an id.
    """
    known = {name for key, row in students.items() for name in (key, key.partition(".")[0], *row["ids"])}
    people: dict[str, StudentPolicy] = {}
    each = {key: {"name": row["name"], "ids": row["ids"]} for key, row in students.items()}
    each |= {key: {"name": name, "ids": ids} for row in students.values() for key, name, ids in _members(row)}
    for name, own in policy.students.items():
        found = () if name in known else called(name, each)
        keys = {key.partition(".")[0] if key in students else key for key in found}
        people[keys.pop() if len(keys) == 1 else name] = own
    return policy.model_copy(update={"students": people})


def _members(row: Mapping[str, Any]) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The members of a group who have an id: by the first of them, with name and all ids."""
    for name, ids in zip(row.get("members", ()), row.get("member_ids", ()), strict=False):
        if ids:
            yield ids[0], name, ids


def _decided(
    row: Mapping[str, Any], overrides: Mapping[str, Any]
) -> tuple[dict[str, tuple[Decimal, Decimal]], list[Step]]:
    """Points and maximum of every criterion, a person's points in the place of its own, and what people decided."""
    criteria: dict[str, tuple[Decimal, Decimal]] = {}
    absent = bool(row.get("absent"))
    steps = [NOTHING] if absent else []
    for name, (graded, _, maximum) in row["criteria"].items():
        decision = overrides.get(name)
        criteria[name] = (Decimal(decision["points"] if decision else graded), Decimal(maximum))
        if decision:
            given = written(Decimal(decision["points"]))
            before = f"of {written(Decimal(maximum))}" if absent else f"instead of {written(Decimal(graded))}"
            said = f"{given} {before} points ({decision['reason']})"
            steps.append(Step(_read(decision, maximum) if decision.get("each") else said, name))
    return criteria, steps


def _read(decision: Mapping[str, Any], maximum: str) -> str:
    """What a person gave who read answers: for all of it, for each of them, and why where they said so."""
    each = [
        f"{check.partition('.')[2]} {written(Decimal(one['points']))} of {written(Decimal(one['most']))}"
        for check, one in decision["each"].items()
    ]
    why = "; ".join(filter(None, (", ".join(each), typed(decision["reason"]))))
    return f"{written(Decimal(decision['points']))} of {written(Decimal(maximum))} points, read by a person ({why})"


def _grouped(group: Group, criteria: Mapping[str, tuple[Decimal, Decimal]]) -> tuple[Decimal, str]:
    """What a group's rule changes, and how that came about; nothing where it names none of the criteria."""
    members = {name: criteria[name] for name in group.criteria if name in criteria and criteria[name][1]}
    if not members:
        return Decimal(0), ""
    before, whole = (sum((pair[i] for pair in members.values()), Decimal(0)) for i in (0, 1))
    shares = sorted((earned / most, name) for name, (earned, most) in members.items())
    names = ", ".join(members)
    if group.rule == "drop-lowest":
        kept = [name for _, name in shares[min(group.drop, len(shares) - 1) :]]
        part = sum((criteria[name][1] for name in kept), Decimal(0))
        after = sum((criteria[name][0] for name in kept), Decimal(0)) * whole / part
        said = f"without the lowest of {names}"
    elif group.rule == "min":
        after, said = whole * shares[0][0], f"{names} count as the lowest of them, {shares[0][1]}"
    else:
        after, said = whole if shares[0][0] >= 1 else Decimal(0), f"{names} count all together or not at all"
    after = after.quantize(CENT, ROUND_HALF_EVEN)
    return after - before, f"{said}: {after:f} of {whole:f}"


def _lateness(
    row: Mapping[str, Any], policy: Policy, own: StudentPolicy, maximum: Decimal, tokens: int
) -> tuple[Decimal, str]:
    """Points lost for lateness, and how that came about."""
    due, when = own.due or policy.due, row.get("submitted_at", "")
    if due is None:
        return Decimal(0), ""
    if row.get("late") and not when:
        if own.due:
            return Decimal(0), "marked late without a time: not counted, for the deadline is an own one"
        return _charged(1, "marked late without a time: one day", policy, maximum, tokens)
    days = days_late(when, due, timedelta(minutes=policy.grace_minutes))
    if not days:
        return Decimal(0), untold(row)
    if policy.cut_off_days is not None and days > policy.cut_off_days:
        return maximum, f"{days} days late: nothing is earned after {policy.cut_off_days}"
    return _charged(days, f"{days} day{'s' if days != 1 else ''} late", policy, maximum, tokens)


def _charged(days: int, said: str, policy: Policy, maximum: Decimal, tokens: int) -> tuple[Decimal, str]:
    """What late days cost after those that tokens pay for."""
    if not policy.per_day:
        return Decimal(0), said
    charged = max(days - tokens, 0)
    spent = days - charged
    said += f", {spent} late day{'s' if spent != 1 else ''} spent" if spent else ""
    percent = min(policy.per_day * charged, Decimal(100))
    return maximum * percent / 100, f"{said}: −{percent.normalize():f} % of {maximum}"
