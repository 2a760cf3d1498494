"""A class as one page shows it: a line for each student, and what was counted over all."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grader.classroom import statistics
from grader.classroom.decisions import standing
from grader.classroom.policy import Policy
from grader.classroom.results import Results
from grader.classroom.row import GradebookRow, rows
from grader.classroom.statistics import ClassStatistics
from grader.model.text import StudentText

BINS = 10
"""Bars of the distribution."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a student has of one criterion: points, those that wait, and what there is to be had."""

    points: Decimal
    pending: Decimal
    most: Decimal

    @property
    def share(self) -> float:
        """Of what there is to be had, in [0, 1]."""
        return float(self.points / self.most) if self.most else 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """One student: the final points (None: no grade), criteria by id, ids of mistakes, reasons to look at the work.

    ``report`` is the key of the stored report, empty where nothing was handed in. ``looks`` are the kinds of
    ``statistics.NOTED``, and ``late``, ``waits`` and ``alike``.
    """

    key: str
    name: str
    points: Decimal | None
    most: Decimal
    verdict: str
    report: str
    cells: Mapping[str, Cell]
    mistakes: tuple[str, ...]
    looks: tuple[str, ...]
    alike: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the page of a class shows; ``criteria`` maps ids to titles, ``bins`` counts students by share."""

    title: str
    lines: tuple[Line, ...]
    counted: ClassStatistics
    criteria: Mapping[str, str]
    bins: tuple[int, ...]

    def mean(self, criterion: str) -> float:
        """Return the mean share of a criterion over those who handed in, in [0, 1]."""
        shares = [line.cells[criterion].share for line in self.lines if line.report and criterion in line.cells]
        return sum(shares) / len(shares) if shares else 0.0


def overview(results: Results, policy: Policy, title: str, criteria: Mapping[str, str]) -> Overview:
    """Read a results folder once over; ``criteria`` are the rubric's titles by id."""
    counted, decisions = statistics.of(results), standing(results)[0]
    index = results.everybody()
    looks = {kind: {one.key for one in who} for kind, who in counted.noted.items()}
    made: dict[str, list[str]] = {}
    for mistake in counted.mistakes:
        for key in mistake.who:
            made.setdefault(key, []).append(mistake.id)
    alike = _alike(results, {key: row["name"] or key for key, row in index.items()})
    lines = tuple(
        _line(row, index.get(row.key, {}), decisions.get(row.report or row.key, {}), made, looks, alike)
        for row in rows(results, policy)
    )
    shares = [float(line.points / line.most) for line in lines if line.points is not None and line.most and line.report]
    bins = [0] * BINS
    for share in shares:
        bins[min(BINS - 1, max(0, int(share * BINS)))] += 1
    return Overview(title, lines, counted, criteria, tuple(bins))


def _line(
    row: GradebookRow,
    stored: Mapping[str, Any],
    decided: Mapping[str, Any],
    made: Mapping[str, list[str]],
    looks: Mapping[str, set[str]],
    alike: Mapping[str, tuple[str, float]],
) -> Line:
    cells = {name: Cell(*map(Decimal, cell)) for name, cell in stored.get("criteria", {}).items()}
    for name, decision in decided.items():
        if name in cells and "points" in decision:
            cells[name] = Cell(Decimal(decision["points"]), Decimal(0), cells[name].most)
    found = [kind for kind, keys in looks.items() if row.report in keys and kind != "undetermined"]
    found += ["absent"] if not row.report else []
    found += ["waits"] if row.score.pending else []
    found += ["late"] if stored.get("late") else []
    other, likeness = alike.get(row.report, ("", 0.0))
    found += ["alike"] if other else []
    return Line(
        row.key, StudentText(row.name or row.key), row.score.points, row.score.maximum, row.verdict, row.report, cells,
        tuple(made.get(row.report, ())), tuple(dict.fromkeys(found)),
        StudentText(f"{other}, {likeness:.0%}") if other else "",
    )  # fmt: skip


def _alike(results: Results, names: Mapping[str, str]) -> dict[str, tuple[str, float]]:
    """For each student of a pair whose work is most like it, and how much."""
    found: dict[str, tuple[str, float]] = {}
    for pair in results.alike():
        for one, other in ((pair["one"], pair["other"]), (pair["other"], pair["one"])):
            if pair["likeness"] > found.get(one, ("", 0.0))[1]:
                found[one] = (names.get(other, other), pair["likeness"])
    return found
