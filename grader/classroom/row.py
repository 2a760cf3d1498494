"""One student's line of a gradebook, and the lines of a results folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from grader.classroom.decisions import comments, standing
from grader.classroom.policy import Final, Policy, final
from grader.classroom.results import Results

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


def rows(results: Results, policy: Policy) -> tuple[GradebookRow, ...]:
    """Return the gradebook of a results folder, in the order of the keys: all of the roster have a row."""
    (overrides, changed), attempt, said = standing(results), results.index().get("attempt"), comments(results)
    found = []
    for key, row in sorted(results.everybody().items()):
        score = final(row, key, policy, overrides.get(key, {}))
        score = replace(score, steps=(*score.steps, *changed.get(key, ())))
        found.append(
            GradebookRow(
                key,
                row["name"],
                tuple(row["ids"]),
                tuple(row["members"]),
                score,
                _verdict(row, score, overrides.get(key, {})),
                row.get("isolation", ""),
                row.get("submitted_at", ""),
                "" if row.get("absent") else key,
                row.get("feedback", ""),
                tuple(tuple(ids) for ids in row.get("member_ids", ())),
                said.get(key, ""),
            )
        )
    if attempt == "latest":  # further attempts may be left from a run that asked for all
        found = [row for row in found if "." not in row.key]
    return _best(found) if attempt == "best" else tuple(found)


def _verdict(row: Mapping[str, Any], score: Final, decisions: Mapping[str, Any]) -> str:
    """The verdict of the work as graded; where people decided all that waited, of the points as they stand."""
    graded = str(row["verdict"])
    if graded != "undetermined" or score.pending:
        return graded
    given = {name: one["points"] for name, one in decisions.items() if "points" in one}
    whole = all(Decimal(given.get(name, got)) >= Decimal(most) for name, (got, _, most) in row["criteria"].items())
    return graded if not given else "passed" if whole else "failed"


def _best(found: Sequence[GradebookRow]) -> tuple[GradebookRow, ...]:
    """Of several attempts (``ann``, ``ann.2``), the one with the most points; the earliest of equals."""
    people: dict[str, GradebookRow] = {}
    for row in found:
        key = row.key.partition(".")[0]
        before = people.get(key)
        if before is None or (row.score.points or Decimal(0)) > (before.score.points or Decimal(0)):
            people[key] = replace(row, key=key)
    return tuple(people.values())
