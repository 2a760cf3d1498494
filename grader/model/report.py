"""What is said of a submission as a whole, and under which settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from grader.model.assignment import Assignment, Criterion, Rubric
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import Submission
from grader.model.text import StudentText
from grader.sandbox.plain import Isolation, Level


@dataclass(frozen=True, slots=True)
class Mark:
    """Points for one criterion. ``pending`` points are neither given nor taken until a person decides."""

    criterion: Criterion
    verdict: Verdict
    points: Decimal
    pending: Decimal
    outcomes: tuple[Outcome, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a call of the submission printed, line by line; ``call`` says which it was."""

    call: str
    lines: tuple[StudentText, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The judgement of one submission. The total is computed from the marks, never stored apart.

    ``unscored`` are outcomes that no criterion asks for: another rubric may. ``seconds`` says how long the grader
    waited for each component; it differs from run to run, so it is no part of what makes two reports equal. Neither
    are ``prints``, which are there only where the settings ask for them.
    """

    assignment: Assignment
    rubric: Rubric
    submission: Submission
    marks: tuple[Mark, ...]
    isolation: Isolation
    seed: int
    grader_version: str
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unreadable: str = ""
    unscored: tuple[Outcome, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    prints: tuple[Printed, ...] = field(default=(), compare=False)

    @property
    def score(self) -> Decimal:
        """Points earned, bonus included; always the sum of what is shown."""
        return sum((mark.points for mark in self.marks), Decimal(0))

    @property
    def max_score(self) -> Decimal:
        """Points to be had, bonus left out."""
        return sum((mark.criterion.points for mark in self.marks if not mark.criterion.bonus), Decimal(0))

    @property
    def pending(self) -> Decimal:
        """Points that wait for a person."""
        return sum((mark.pending for mark in self.marks), Decimal(0))

    @property
    def verdict(self) -> Verdict:
        """The worst that was found: fault, undetermined, failed or passed."""
        if self.unreadable:
            return Verdict.UNREADABLE
        found = {mark.verdict for mark in self.marks}
        for verdict in (Verdict.FAULT, Verdict.FAILED, Verdict.UNDETERMINED):
            if verdict in found:
                return verdict
        return Verdict.PASSED if found <= {Verdict.PASSED} else Verdict.FAILED


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything besides the submission that a report depends on, and whether it shows what the code printed."""

    assignment: Assignment
    rubric: Rubric
    isolation: Level = "strict"
    seed: int = 0
    components: tuple[str, ...] = ()
    prints: bool = False
