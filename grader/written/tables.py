"""Tables of weights: what was given stands, every row sums to 1, every entry lies in its range."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.written.choices import no_rows
from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import TableKey
from grader.written.labelled import headed, table_lines
from grader.written.numbers import Number, read_number
from grader.written.question_names import by_label, slug
from grader.written.sheet import Written

Row = dict[str, str]


def judge_table(key: TableKey, answer: Written) -> Judged:
    """Judge a table row by row. A cell that is no number sends the table to a person."""
    told = _rows(key, answer)
    if not any(re.search(r"\w", cell) for row in told.values() for cell in row.values()) and answer.text:
        printed = "|".join(
            {re.escape(f"{value:g}") for row in key.given.values() for value in row.values()} or {"(?!)"}
        )
        blank = "|" in answer.text and not re.search(r"\d", re.sub(printed, " ", answer.text))
        if not blank or _beside(key, answer.text):
            return for_a_person(f"{quoted(answer.text)} is not read as a table.")
    rows, strays = by_label(told, [slug(label) for label in key.rows])
    asked = len(key.rows)
    good: list[str] = []
    bad: list[str] = []
    for label in key.rows:
        cells = rows.get(slug(label), {})
        written = {column: cells.get(slug(column), "").strip() for column in key.columns}
        given = key.given.get(label, {})
        own = {c: text for c, text in written.items() if c not in given}
        if not any(re.search(r"\w", text) for text in own.values()):
            bad.append(f"{label}: left empty")
            continue
        values = {column: number(text) for column, text in written.items()}
        values |= {c: given[c] for c in given if not re.search(r"\w", written[c])}
        strange = [column for column, value in values.items() if value is None]
        if strange:
            cell = written[strange[0]]
            if cell:
                return for_a_person(f"Row {label}, column {strange[0]}: {quoted(cell, 30)} is not read as a number.")
            bad.append(f"{label}: {strange[0]} is left empty")
            continue
        problem = _problem(key, label, {column: float(value or 0) for column, value in values.items()})
        (bad if problem else good).append(problem or label)
    if not bad:
        return right(asked)
    if any(problem.endswith("left empty") for problem in bad) and _beside(key, answer.text):
        return for_a_person(f"{quoted(answer.text)} is not read as a whole.", suggested=len(good) / asked)
    return wrong(f"{len(good)} of {asked} rows are right. {'; '.join(bad)}.{no_rows(strays)}", len(good), asked)


def _problem(key: TableKey, label: str, row: Mapping[str, float]) -> str:
    low, high = key.between
    total = sum(row.values())
    given = key.given.get(label, {})
    if abs(total - 100 * key.row_sum) <= 100 * key.tolerance:  # percentages
        row = {column: value / 100 for column, value in row.items()}
        total /= 100
    elif any(value > high and column not in given for column, value in row.items()):
        return f"{label}: {max(row.values()):g} is more than {high:g}"
    for column, value in given.items():
        if abs(row[column] - value) > key.tolerance:
            return f"{label}: {column} was given as {value:g}, you have {row[column]:g}"
    if any(value < low for value in row.values()):
        return f"{label}: {min(row.values()):g} is less than {low:g}"
    if abs(total - key.row_sum) > key.tolerance:
        return f"{label}: the row sums to {total:.4g}, not to {key.row_sum:g}"
    return ""


def number(text: str) -> float | None:
    """Return a cell's number, a minus sign kept; None where it is anything else."""
    found = read_number(text)
    return found.value if isinstance(found, Number) else None


def _rows(key: TableKey, answer: Written) -> dict[str, Row]:
    """Return the cells by row and column, from structured data, a drawn table, or lines of numbers."""
    if isinstance(answer.data, dict):
        return {slug(str(label)): _row(key, value) for label, value in answer.data.items()}
    if isinstance(answer.data, list):
        return {slug(label): _row(key, value) for label, value in zip(key.rows, answer.data, strict=False)}
    if len(key.rows) == 1 and len(named := _named(key, answer.text)) == len(key.columns):
        return {slug(key.rows[0]): named}
    lines = [_SUM.sub("", line) for line in table_lines(answer.text)]
    found = _drawn(key, lines)
    plain = [line for line in lines if "|" not in line]
    heads = [head for line in plain if (head := headed(line, key.rows))]
    long = any(len(_FIGURES.findall(line)) > len(key.columns) for line in plain)
    if long or len({label for label, _ in heads}) < len(heads):
        return {}
    found |= {label: _row(key, rest) for label, rest in heads}
    if not found and len(key.rows) == 1:
        return {slug(key.rows[0]): _row(key, " ".join(plain or lines))}
    return found or _in_order(key, plain or lines)


def _beside(key: TableKey, text: str) -> bool:
    """Whether words or numbers stand outside a drawn table and begin with no label: they may be meant for its rows."""
    lines = table_lines(text)
    return any("|" in line for line in lines) and any("|" not in line and not headed(line, key.rows) for line in lines)


def _drawn(key: TableKey, lines: Sequence[str]) -> dict[str, Row]:
    """Return the rows of a table that is drawn with bars and hold more than the sheet prints.

    Its head may have the columns in another order, and no place for a label where there is one row alone.
    """
    found: dict[str, Row] = {}
    header = [slug(column) for column in key.columns]
    rows = {slug(label): {slug(column) for column in key.given.get(label, {})} for label in key.rows}
    for line in lines:
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        names = [slug(part) for part in parts]
        at = next((at for at, name in enumerate(names[:2]) if name in rows and len(parts) > 1), None)
        if sorted(names[-len(header) :]) == sorted(header):
            header, at = names[-len(header) :], None
        elif at is None and len(rows) == 1 and len(parts) == len(header):
            at, names = -1, [*names[:-1], next(iter(rows))]
        if at is not None:
            row = dict(zip(header, parts[at + 1 :], strict=False))
            if any(re.search(r"\w", cell) for column, cell in row.items() if column not in rows[names[at]]):
                found[names[at]] = row
    return found


def _in_order(key: TableKey, lines: Sequence[str]) -> dict[str, Row]:
    """Return the rows of a matrix without labels: as many lines as rows, in each a number a column."""
    rows = [_FIGURES.findall(line) for line in lines]
    if len(rows) != len(key.rows) or any(len(row) != len(key.columns) for row in rows):
        return {}
    return {slug(label): _row(key, row) for label, row in zip(key.rows, rows, strict=True)}


_FIGURE = r"[-−]?(?:(?<![.,\d])\d{1,4}/\d{1,4}(?![.,]?\d|/)|\d+(?:[.,]\d+)?(?:\s{0,3}%)?|[.,]\d+)"
_FIGURES = re.compile(_FIGURE)
_SUM = re.compile(r"(?:(?<=[\d%)])\s*|\(?\s*sum\s*)=\s*(?:1(?:[.,]0+)?|100\s*%)\s*\)?\s*\.?$", re.IGNORECASE)
"""The check that a row sums to 1."""


def _named(key: TableKey, text: str) -> Row:
    """Return the numbers that stand behind the names of columns, or before them where the text begins with one."""
    ahead = bool(re.match(rf"\W*{_FIGURE}\s{{0,3}}[^\W\d]", text))
    found = {}
    for column in key.columns:
        name = rf"\b{re.escape(column)}\b"
        form = (
            rf"({_FIGURE})\s{{0,3}}(?:(?:for|to|on|für|auf)\s{{1,3}})?[\"“]?{name}"
            if ahead
            else rf"{name}\W*?({_FIGURE})"
        )
        if match := re.search(form, text, re.IGNORECASE):
            found[slug(column)] = match[1]
    return found


def _row(key: TableKey, value: object) -> Row:
    """Return one row's cells: a mapping, a list, or text such as ``love 0.3, treats 0.2`` or ``0.5 0.3 0.2``."""
    if isinstance(value, dict):
        cells = {slug(str(column)): str(cell if cell is not None else "") for column, cell in value.items()}
        return by_label(cells, [slug(column) for column in key.columns])[0]
    text = str(value or "")
    if not isinstance(value, list) and (named := _named(key, text)):
        return named
    texts = [str(cell) for cell in value] if isinstance(value, list) else _FIGURES.findall(text)
    if len(texts) == len(key.columns) - 1 and len(key.given) == len(key.rows):  # the one that is given may be left out
        return {}
    return {slug(column): text for column, text in zip(key.columns, texts, strict=False)}
