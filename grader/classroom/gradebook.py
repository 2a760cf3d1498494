"""The gradebook: one final score per student, in the forms that learning platforms take back.

Cells are safe in a spreadsheet: text that could be read as a formula gets an apostrophe in front.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN
from pathlib import Path
from typing import Any

from grader.classroom import sheets
from grader.classroom.cells import safe_cell
from grader.classroom.names import parted
from grader.classroom.row import GradebookRow
from grader.errors import GraderError


def export(
    to: str, book: Sequence[GradebookRow], *, title: str, sheet: Path | None = None
) -> tuple[str, tuple[str, ...]]:
    """Return the text of the gradebook in the form ``to`` of FORMS and remarks on rows that could not be filled.

    ``sheet`` is the instructor's own downloaded sheet, which is filled in where the platform wants that: nothing of it
    is changed but the grade and the comments. Raises GraderError.
    """
    if sheet is not None and to in SHEETS:
        return sheets.filled(SHEETS[to](sheet, title), book)
    if to not in _MAKERS:
        what = f"needs {to.capitalize()}'s own sheet of grades"
        raise GraderError(what, f"--to {to}", "Download it and give it with --sheet.")
    return _MAKERS[to](book, title)


def _table(headings: Sequence[str], lines: Iterable[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, headings, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({key: safe_cell(value) for key, value in line.items()} for line in lines)
    return out.getvalue()


def _csv(book: Sequence[GradebookRow], _title: str) -> tuple[str, tuple[str, ...]]:
    headings = (
        "key", "name", "ids", "score", "max_score", "pending", "verdict", "submitted_at", "isolation", "how", "members",
        "comment",
    )  # fmt: skip
    return _table(headings, ({
        "key": row.key, "name": row.name, "members": ", ".join(row.members),
        "ids": " ".join(dict.fromkeys(row.ids)), "score": row.points,
        "max_score": f"{row.score.maximum:f}",
        "pending": f"{row.score.pending:f}", "verdict": row.verdict, "submitted_at": row.submitted_at,
        "isolation": row.isolation, "how": "; ".join(map(str, row.score.steps)), "comment": row.comment,
    } for row in book)), ()  # fmt: skip


def _jsonl(book: Sequence[GradebookRow], _title: str) -> tuple[str, tuple[str, ...]]:
    lines = (json.dumps({
        "key": row.key, "name": row.name, "ids": row.ids, "members": row.members,
        "score": None if row.score.points is None else float(row.score.points), "max_score": float(row.score.maximum),
        "pending": float(row.score.pending), "excused": row.score.excused, "verdict": row.verdict,
        "steps": [str(step) for step in row.score.steps], "comment": row.comment,
    }, ensure_ascii=False) for row in book)  # fmt: skip
    return "".join(line + "\n" for line in lines), ()


def _canvas(book: Sequence[GradebookRow], title: str) -> tuple[str, tuple[str, ...]]:
    return _table(
        ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title),
        ({"Student": name, "ID": _canvas_id(row, ids), title: row.points} for row in book for name, ids in row.people),
    ), ("Canvas matches best when its own sheet is filled: give --sheet.",)


def _canvas_id(row: GradebookRow, ids: Sequence[str]) -> str:
    """Canvas's own number of a person: in a hand-in from Canvas alone, for a number of anything else is somebody else.

    The name of a feedback file holds it; the members of a group have theirs from the roster.
    """
    numbers = [known for known in ids if known.isdigit()]
    if not numbers or not re.search(r"_\d+_feedback\.md$", row.feedback):
        return ""
    own = [known for known in numbers if f"_{known}_" in row.feedback]
    return (own or numbers)[-1] if own or row.members else ""


def _gradescope(book: Sequence[GradebookRow], _title: str) -> tuple[str, tuple[str, ...]]:
    """One line a person: the members of a group have the same score."""
    headings = ("First Name", "Last Name", "SID", "Email", "Total Score", "Max Points", "Status", "Submission ID")
    return _table(headings, ({
        "First Name": parted(name)[0], "Last Name": parted(name)[1],
        "SID": next((known for known in ids if "@" not in known and not known.startswith("submission_")), ""),
        "Email": next((known for known in ids if "@" in known), ""),
        "Total Score": "" if row.score.excused else row.points, "Max Points": f"{row.score.maximum:f}",
        "Status": _status(row),
        "Submission ID": row.submission,
    } for row in book for name, ids in row.people)), ()  # fmt: skip


def _status(row: GradebookRow) -> str:
    """The word by which Gradescope's own table of scores calls it."""
    if row.score.none_yet:
        return "Missing"
    waits = row.score.pending and row.score.pending >= row.score.maximum
    return "Ungraded" if waits or row.score.excused else "Graded"


def _classroom50(book: Sequence[GradebookRow], title: str) -> tuple[str, tuple[str, ...]]:
    """Scores are whole numbers there: rounded half to even, and said so where that changes one."""
    remarks, lines = [], []
    for row in book:
        points = row.score.points
        if points is None:
            remarks += [f"{row.name}: excused, and left out"] if row.score.excused else []
            continue
        whole = int(points.to_integral_value(ROUND_HALF_EVEN))
        if whole != points:
            remarks.append(f"{row.name}: {points} entered as {whole} (whole numbers only)")
        lines += [
            {"username": _login(*who), "assignment": title, "score": whole, "max-score": int(row.score.maximum)}
            for who in row.people
        ]
    return _table(("username", "assignment", "score", "max-score"), lines), tuple(remarks)


def _login(name: str, ids: Sequence[str]) -> str:
    """The user name: the id with which the name of the repository ends, else the one that looks like a user name."""
    repository = (known for known in ids if any(other.endswith(f"-{known}") for other in ids))
    named = (known for known in ids if re.fullmatch(r"[^\W_][\w.-]*", known) and not known.isdigit())
    own = (known for known in named if not known.startswith("submission_"))
    return next(repository, next(own, ids[0] if ids else name))


def _google(book: Sequence[GradebookRow], _title: str) -> tuple[str, tuple[str, ...]]:
    """A sheet to read from; Classroom has no import of grades but its interface for programs."""
    headings = ("Email", "Name", "draftGrade", "assignedGrade")
    return _table(headings, ({
        "Email": next((known for known in ids if "@" in known), ""), "Name": name, "draftGrade": row.points,
        "assignedGrade": row.points,
    } for row in book for name, ids in row.people)), (
        "Google Classroom imports no CSV: enter the grades by hand or by its API.",
    )  # fmt: skip


SHEETS: dict[str, Callable[[Path, str], sheets.Sheet]] = {
    "canvas": sheets.canvas, "moodle": sheets.moodle, "blackboard": sheets.blackboard,
    "brightspace": sheets.brightspace,
}  # fmt: skip
"""The platforms whose own sheet is filled in; all but the first take nothing else."""
_MAKERS: dict[str, Callable[[Sequence[GradebookRow], str], tuple[str, tuple[str, ...]]]] = {
    "canvas": _canvas, "gradescope": _gradescope, "classroom50": _classroom50, "google": _google, "csv": _csv,
    "jsonl": _jsonl,
}  # fmt: skip
"""From the gradebook and a title to text and remarks."""
FORMS = tuple(dict.fromkeys((*SHEETS, *_MAKERS)))
