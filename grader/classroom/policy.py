"""From points to the final score: lateness, extensions, excuses, caps and decisions of people; exact decimals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

CENT = Decimal("0.01")


class StudentPolicy(BaseModel):
    """What holds for one student only."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    due: AwareDatetime | None = None
    excused: bool = False


class Policy(BaseModel):
    """A policy file (policy.yaml).

    ``due`` is the deadline; ``grace_minutes`` cost nothing; each begun day after that costs ``per_day`` percent of the
    maximum; nothing is earned more than ``cut_off_days`` after the deadline. ``tokens`` are late days that each student
    may spend first. ``cap`` bounds the final score in percent of the maximum (bonus points may lift it to 100 only).
    ``extensions`` maps a student's key or id to a deadline of their own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    due: AwareDatetime | None = None
    grace_minutes: int = Field(default=0, ge=0)
    per_day: Decimal = Field(default=Decimal(0), ge=0, le=100)
    cut_off_days: int | None = Field(default=None, ge=0)
    tokens: int = Field(default=0, ge=0)
    cap: Decimal | None = Field(default=None, ge=0)
    students: Mapping[str, StudentPolicy] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Final:
    """What is entered in the gradebook: ``points`` of ``maximum``; None where the student is excused.

    ``steps`` say how it came about, one sentence each, for the feedback file and the history.
    """

    points: Decimal | None
    maximum: Decimal
    steps: tuple[str, ...] = ()
    pending: Decimal = Decimal(0)


def load_policy(path: Path) -> Policy:
    """Read a policy file. Raises GraderError with file, line and field."""
    from grader.catalog.yaml_file import read_yaml, validate

    return validate(read_yaml(path), Policy)


def final(row: Mapping[str, Any], key: str, policy: Policy, overrides: Mapping[str, Any]) -> Final:
    """Apply decisions of people, then lateness, then the cap, to one row of the index."""
    maximum = Decimal(row["max_score"])
    own = next(
        (policy.students[name] for name in (key, *row.get("ids", ())) if name in policy.students), StudentPolicy()
    )
    if own.excused:
        return Final(None, maximum, ("excused",))
    points, pending, steps = _decided(row, overrides)
    lost, said = _lateness(row, policy, own.due or policy.due, maximum)
    if lost:
        points = max(points - lost, Decimal(0))
        steps.append(said)
    if policy.cap is not None and points > maximum * policy.cap / 100:
        points = maximum * policy.cap / 100
        steps.append(f"capped at {policy.cap.normalize():f} % of {maximum}")
    return Final(points.quantize(CENT, ROUND_HALF_EVEN), maximum, tuple(steps), pending)


def _decided(row: Mapping[str, Any], overrides: Mapping[str, Any]) -> tuple[Decimal, Decimal, list[str]]:
    """Put a person's points in the place of a criterion's own, whatever a regrade made of those."""
    points, pending, steps = Decimal(row["score"]), Decimal(row["pending"]), []
    for criterion, decision in sorted(overrides.items()):
        graded, waiting, _ = row.get("criteria", {}).get(criterion, ("0", "0", "0"))
        points += Decimal(decision["points"]) - Decimal(graded)
        pending -= Decimal(waiting)
        steps.append(f"{criterion}: {decision['points']} instead of {graded} ({decision['reason']})")
    return points, pending, steps


def _lateness(row: Mapping[str, Any], policy: Policy, due: datetime | None, maximum: Decimal) -> tuple[Decimal, str]:
    """Points lost for lateness, and how that came about."""
    if not row.get("submitted_at") or due is None:
        if row.get("late") and due is not None and policy.per_day:
            return maximum * policy.per_day / 100, f"marked late without a time: one day, −{policy.per_day} %"
        return Decimal(0), ""
    handed_in = datetime.fromisoformat(row["submitted_at"])
    handed_in = handed_in if handed_in.tzinfo else handed_in.replace(tzinfo=UTC)
    over = handed_in - (due + timedelta(minutes=policy.grace_minutes))
    if over <= timedelta(0):
        return Decimal(0), ""
    days = int((Decimal(over.total_seconds()) / 86400).to_integral_value(ROUND_CEILING))
    if policy.cut_off_days is not None and days > policy.cut_off_days:
        return maximum, f"{days} days late: nothing is earned after {policy.cut_off_days}"
    charged = max(days - policy.tokens, 0)
    spent = days - charged
    tokens = f", {spent} late day{'s' if spent != 1 else ''} spent" if spent else ""
    percent = min(policy.per_day * charged, Decimal(100))
    said = f"{days} day{'s' if days != 1 else ''} late{tokens}: −{percent.normalize():f} % of {maximum}"
    return maximum * percent / 100, said
