"""One student's line of a gradebook."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from grader.classroom.policy import Final

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class GradebookRow:
    """One student's line: key, name, the ids that platforms know, the final score and what led to it.

    ``report`` is the key of the report that counts, empty for who handed in nothing (the ``verdict`` is ``absent``
    then), ``feedback`` where the platform takes a file back,
    ``comment`` what a person wrote for the student.
    """

    key: str
    name: str
    ids: tuple[str, ...]
    members: tuple[str, ...]
    score: Final
    verdict: str
    isolation: str
    submitted_at: str
    report: str = ""
    feedback: str = ""
    member_ids: tuple[tuple[str, ...], ...] = ()
    comment: str = ""

    @property
    def people(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Everybody whom the row is about, with what the platform knows them by: the members of a group, or the one."""
        if not self.members:
            return ((self.name, self.ids),)
        each = self.member_ids or ((),) * len(self.members)
        return tuple(zip(self.members, each, strict=True))

    @property
    def submission(self) -> str:
        """The platform's number of the submission; empty where it has none."""
        return next((i.removeprefix("submission_") for i in self.ids if i.startswith("submission_")), "")

    @property
    def points(self) -> str:
        """Two decimals; ``EX`` where excused, empty where nothing was handed in and nobody gave a grade."""
        if self.score.points is None:
            return "EX" if self.score.excused else ""
        return f"{self.score.points.quantize(CENT, ROUND_HALF_EVEN):f}"
