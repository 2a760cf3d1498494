"""What can be found about one formula: equal, different with the named slip, or for a person to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.written.formula.kinds import Slip


@dataclass(frozen=True, slots=True)
class FormulaVerdict:
    """What was found about one formula.

    verdict: "equal", "different" or "review". slip and title: the named mistake, where there is one ("a+b": two).
    reason: one sentence for the student or the reviewer. reading: the formula as it was understood. hint: a
    question that leads on, where a slip is named. work: how much it took to find this.
    """

    verdict: str
    slip: str | None
    title: str | None
    reason: str
    reading: str
    hint: str | None = None
    work: int = field(default=0, compare=False)


def review(reason: str, reading: str = "") -> FormulaVerdict:
    """Return that a person should look, and why."""
    return FormulaVerdict("review", None, None, reason, reading)


def named(slips: Sequence[Slip], reading: str) -> FormulaVerdict:
    """Return that a formula is different by known slips."""
    title = " ".join(slip.title for slip in slips)
    return FormulaVerdict(
        "different", "+".join(sorted(slip.id for slip in slips)), title, title, reading, slips[0].hint
    )
