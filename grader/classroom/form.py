"""Answers of a class from a form: a CSV file with one row a student and one column a question.

The columns that name the student are recognised; every other column becomes an answer under its heading, which holds
the question's name (``speedup_100``, or ``[speedup_100] Speedup factor``) or its title. Google Forms, Microsoft Forms,
Moodle and Canvas export such files.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.classroom.entry import Entry, FileRef, safe_key
from grader.classroom.tables import heading_form, read_rows
from grader.classroom.words import HEADINGS
from grader.errors import GraderError
from grader.model.assignment import Section
from grader.model.submission import Document

MOST_ABSENT = 8
"""Questions that are named where no column answers them."""
_WHO = {**{what: HEADINGS[what] for what in ("name", "first", "last", "ids")}, "when": HEADINGS["sent"]}


def entries(path: Path) -> Iterator[Entry]:
    """Yield one entry a row; its only file is ``answers.json``. Several rows of one student are several attempts.

    Raises GraderError where the file is no table, or names nobody.
    """
    rows = _rows(path)
    roles = {column: role for column in rows[0] if (role := _role(column))} if rows else {}
    if not rows or not set(roles.values()) & {"name", "first", "last", "ids"}:
        raise GraderError(
            "this table names no students", str(path), "Expected a column such as Name, Email or Student ID."
        )
    attempts: dict[str, int] = {}
    for row in rows:
        ids = tuple(value for column, value in row.items() if roles.get(column) == "ids" and value)
        name = _one(row, roles, "name") or f"{_one(row, roles, 'first')} {_one(row, roles, 'last')}".strip()
        who = name or (ids[0] if ids else "")
        answers = {column: value for column, value in row.items() if column not in roles and value}
        if not who:
            continue
        key = safe_key(name or ids[0])
        same = "|".join((key, *ids))
        attempts[same] = attempts.get(same, 0) + 1
        content = json.dumps(answers, ensure_ascii=False).encode()
        file = FileRef(path, "answers.json", content=content)
        yield Entry(key, who, (file,), ids or (who,), submitted_at=_one(row, roles, "when"), attempt=attempts[same])


def remarks_on(path: Path, sections: Sequence[Section]) -> tuple[str, ...]:
    """Return what to say of a form's columns before its rows are judged: mistyped names, questions without a column.

    Raises GraderError where the file is no table.
    """
    from grader.written.sheet import read_sheet

    asked = [section for section in sections if section.part == "worksheet"]
    columns = next(iter(_rows(path)), {})
    if not asked or not columns:
        return ()
    content = json.dumps({column: "x" for column in columns if not _role(column)}).encode()
    sheet = read_sheet([Document(f"{path.name}.json", content)], asked)
    said = [note.replace(f"{path.name}.json: ", f"{path.name}: column ", 1).rstrip(".") for note in sheet.notes]
    absent = [q.id for section in asked for q in section.questions if q.id not in sheet.answers]
    if absent:
        more = f" and {len(absent) - MOST_ABSENT} more" if absent[MOST_ABSENT:] else ""
        said.append(f"{path.name}: no column answers {', '.join(absent[:MOST_ABSENT])}{more}; these are empty for all")
    return tuple(said)


def _role(column: str) -> str:
    form = heading_form(column)
    return next((role for role, names in _WHO.items() if form in names), "")


def _one(row: Mapping[str, str], roles: Mapping[str, str], role: str) -> str:
    return next((value for column, value in row.items() if roles.get(column) == role and value), "")


def _rows(path: Path) -> list[dict[str, str]]:
    table, _ = read_rows(path)
    if not table:
        return []
    header: list[str] = []
    before: Counter[str] = Counter()
    for number, column in enumerate(table[0], 1):
        title = column.strip() or f"column {number}"
        # Two columns of one question are two answers to it: told apart by blanks, which name nothing. They count in
        # binary, so that a form with thousands of equal columns stays small.
        header.append(title + f"{before[title]:b}".replace("1", " ").replace("0", "\t") * bool(before[title]))
        before[title] += 1
    rows = [[*(cell.strip() for cell in row), *[""] * (len(header) - len(row))] for row in table[1:] if any(row)]
    return [dict(zip(header, row, strict=False)) for row in rows]
