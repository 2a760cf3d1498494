"""Whether a rubric catches the known mistakes and leaves right answers alone.

The subjects are every misconception that is a function (it is handed in as if it were a submission), the project's
sample submissions, and an instructor's own known-good and known-bad files. Nothing is assumed: each is graded as a
student's work is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from pathlib import Path

from grader import components as catalogue
from grader.component import Component
from grader.errors import GraderError
from grader.model import Assignment, Outcome, Rubric, Submission, Verdict
from grader.score import score

FAULTY_FOLDERS = ("faulty", "bad", "open", "wrong")
RIGHT_FOLDERS = ("correct", "good", "right")


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that is graded: its name, its component, and whether it is meant to be faulty.

    ``id`` is the misconception it holds, empty where it is right or unknown.
    """

    name: str
    component: str
    faulty: bool
    id: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a subject: the checks that failed, the share of points earned, the names given."""

    subject: Subject
    failed: tuple[str, ...]
    earned: float
    named: tuple[str, ...]

    @property
    def slips_through(self) -> bool:
        """A faulty subject that keeps all points."""
        return self.subject.faulty and self.earned >= 1.0

    @property
    def false_alarm(self) -> bool:
        """A right subject that loses points."""
        return not self.subject.faulty and self.earned < 1.0

    @property
    def misnamed(self) -> bool:
        """A faulty subject of a known mistake that was given another name."""
        return bool(self.subject.id and self.named and self.subject.id not in self.named)


@dataclass(frozen=True, slots=True)
class Audit:
    """The detection matrix of one rubric, and what follows from it."""

    assignment: str
    rows: tuple[Row, ...]
    checks: tuple[str, ...]

    @property
    def misses(self) -> tuple[Row, ...]:
        """Mistakes that keep all points."""
        return tuple(row for row in self.rows if row.slips_through)

    @property
    def false_alarms(self) -> tuple[Row, ...]:
        """Right subjects that lose points."""
        return tuple(row for row in self.rows if row.false_alarm)

    @property
    def misnamed(self) -> tuple[Row, ...]:
        """Mistakes that were given another name."""
        return tuple(row for row in self.rows if row.misnamed)

    @property
    def idle_checks(self) -> tuple[str, ...]:
        """Checks that no faulty subject fails: they never decide anything."""
        deciding = {check for row in self.rows if row.subject.faulty for check in row.failed}
        return tuple(check for check in self.checks if check not in deciding)

    @property
    def double_charges(self) -> tuple[tuple[str, str, int], ...]:
        """Pairs of checks that fail for exactly the same mistakes, with how many: points taken twice."""
        by_check = {
            check: frozenset(row.subject.name for row in self.rows if check in row.failed) for check in self.checks
        }
        return tuple(
            (one, other, len(by_check[one]))
            for one, other in combinations(self.checks, 2)
            if one.partition(".")[0] == other.partition(".")[0]
            and len(by_check[one]) > 1
            and by_check[one] == by_check[other]
        )

    @property
    def clean(self) -> bool:
        """Whether nothing slips through and no right subject is blamed."""
        return not self.misses and not self.false_alarms


def variants(assignment: Assignment, names: Sequence[str]) -> Iterable[tuple[Subject, Component, object]]:
    """Every misconception of a function component that can be handed in as a function."""
    for name in names:
        interface = assignment.interface(name)
        component = catalogue.get(name, str(interface.conventions.get("form", "")))
        if isinstance(component, Component):
            for misconception in component.misconceptions:
                if misconception.variant is not None:
                    yield Subject(misconception.id, name, faulty=True, id=misconception.id), component, misconception


def row(subject: Subject, outcomes: Sequence[Outcome], rubric: Rubric) -> Row:
    """Score the subject's outcomes under the criteria of its component only."""
    marks = [mark for mark in score(rubric, outcomes) if mark.outcomes]
    possible = sum((mark.criterion.points for mark in marks), Decimal(0))
    earned = sum((mark.points + mark.pending for mark in marks), Decimal(0))
    bad = [outcome for outcome in outcomes if outcome.verdict not in {Verdict.PASSED, Verdict.SKIPPED}]
    first = next((outcome.diagnosis for outcome in bad if outcome.diagnosis), None)
    return Row(
        subject,
        tuple(outcome.check for outcome in bad),
        float(earned / possible) if possible else 1.0,
        (first.id, *first.family) if first else (),
    )


def known_files(folder: Path) -> Iterable[tuple[Path, bool]]:
    """Files in the folder's known-good and known-bad subfolders, with whether each is meant to be faulty.

    Raises GraderError where the folder has neither.
    """
    found = [
        (path, faulty)
        for names, faulty in ((RIGHT_FOLDERS, False), (FAULTY_FOLDERS, True))
        for name in names
        for path in sorted((folder / name).glob("*"))
        if path.suffix in {".py", ".ipynb", ".zip"} or path.is_dir()
    ]
    if not found:
        raise GraderError(
            "no known-good or known-bad submissions found",
            str(folder),
            "Put right ones into correct/ and wrong ones into faulty/.",
        )
    return found


def defined(submission: Submission, assignment: Assignment) -> tuple[str, ...]:
    """Components of the assignment that the submission defines a callable for, by its syntax tree."""
    from grader import source

    present = {name for module in submission.modules for name in source.defined_names(module)}
    return tuple(
        interface.component
        for interface in assignment.interfaces
        if present & {interface.callable, *interface.aliases, *interface.names.values()}
    )


def matrix(audit: Audit) -> Mapping[str, Mapping[str, bool]]:
    """Mistake by check: whether the check fails for it."""
    return {
        f"{row.subject.component}: {row.subject.name}": {check: check in row.failed for check in audit.checks}
        for row in audit.rows
        if row.subject.faulty
    }
