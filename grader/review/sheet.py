"""The queue as a table for those who prefer a spreadsheet: out as CSV, decisions back in."""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from grader.classroom.cells import safe_cell
from grader.classroom.decisions import REVIEWED
from grader.classroom.results import Results, write_atomically
from grader.classroom.tables import read_as_table, read_text, separator_of
from grader.errors import GraderError
from grader.review.alike import groups
from grader.review.queue import Item, decide, decided, typed_points

COLUMNS = (
    *("group", "key", "student", "check", "question", "answer", "evidence", "look_for"),
    *("suggested", "most", "points", "comment"),
)


def export(items: Sequence[Item], path: Path) -> int:
    """Write the queue, alike answers beside each other; returns how many rows. Raises GraderError."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for number, group in enumerate(groups(items), 1):
        for item in group:
            spans = "; ".join(f"{kind}: {words} ({label})" for kind, label, words in item.evidence)
            suggested = "" if item.suggested is None else f"{item.suggested:f}"
            row = (number, item.key, item.student, item.check, item.title, item.answer.text, spans,
                   " ".join(item.remarks), suggested, f"{item.most:f}", "", "")  # fmt: skip
            writer.writerow([_safe(str(cell)) for cell in row])
    write_atomically(path, "\ufeff" + out.getvalue())
    return len(items)


def _safe(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; a sign before a number is part of an answer, too."""
    cell = safe_cell(text)
    return "'" + cell if cell.startswith(("+", "-")) else cell


def load(results: Results, items: Sequence[Item], path: Path, by: str) -> tuple[int, tuple[str, ...]]:
    """Take the decisions of a table; returns how many, and the criteria decided in full.

    Rows without points, and those that were taken before, are left alone; points that differ now are decided anew.
    Every row is looked at before the first is kept. Raises GraderError with the line of what cannot be taken. The
    folder has to be locked.
    """
    text = read_text(path)
    with read_as_table(path):
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator_of(text))
        lines = [(rows.line_num, row) for row in rows]
    before = decided(results)
    known = {(item.key, item.check): item for item in items}
    taken: list[tuple[Item, Decimal, str]] = []
    for line, row in lines:
        points = (row.get("points") or "").strip()
        if not points:
            continue
        where = f"{path}:{line}"
        name = ((row.get("key") or "").lstrip("'"), row.get("check") or "")
        item, given = before.get(name, (known.get(name), None))
        if item is None:
            raise GraderError("nothing of that key and check waits", where, "Export the queue again.")
        value = typed_points(points)
        if value is None:
            raise GraderError(f"{points!r} are no points", where)
        if not 0 <= value <= item.most:
            raise GraderError(f"{points} points are not between 0 and {item.most}", where)
        if value == given:
            continue  # the same table again
        taken.append((item, value, (row.get("comment") or "").strip()))
    settled: list[str] = []
    for item, value, comment in taken:
        settled += decide(results, [item], value, comment or REVIEWED, by)
    return len(taken), tuple(settled)
