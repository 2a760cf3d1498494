"""Answers a row at a time: a choice in each, or weights that sum to one.

Rows are read from structured data, a drawn table, a line or a piece of a line for each label, or in the order of the
sheet. What belongs to no row sends an answer to a person that lacks something.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from grader.written.choices import options_in
from grader.written.german import in_english
from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import RowsKey, TableKey
from grader.written.neutral import words_of
from grader.written.numbers import Number, read_number
from grader.written.question_names import slug
from grader.written.sheet import Written
from grader.written.word_lists import small_words

MOST_ROWS = 4
"""Rows that are told about."""
LONGEST_CELL = 1
"""Words: a cell that holds more may speak of other rows too."""
_BULLET = r"\s*(?:[-*+•]\s+|\(?\d+[.):]{1,2}\s+)?"
_BEHIND = r"[*_`\"”]*(?:\s*\(\s*(?:step|schritt|word)?\s*\d+\s*\))?[*_`\"”]*\s*(?:(?:[:=→⇒–—]|=>|->|-(?=\s))\s*|(?=\s))"
_FIGURE = re.compile(r"[-−]?(?:(?<![.,\d])\d{1,4}/\d{1,4}(?![.,]?\d|/)|\d+(?:[.,]\d+)?(?:\s{0,3}%)?|[.,]\d+)")
_SUM = re.compile(r"(?:(?<=[\d%)])\s*|\(?\s*sum\s*)=\s*(?:1(?:[.,]0+)?|100\s*%)\s*\)?\s*\.?$", re.IGNORECASE)
"""The check that a row sums to 1."""
_FOR_ALL = re.compile(r"\b(?:all|each|every|alle[ns]?|jede[rsmn]?)\b")
_BESIDE_ALL = ("all", "each", "every", "word", "words", "ones", "before")


class Rows(NamedTuple):
    """What is said of each row by its label (cells, text or structure), what belongs to none, and a table's head."""

    cells: Mapping[str, Any]
    beside: str = ""
    head: Sequence[str] = ()


def read_rows(answer: Written, printed: Mapping[str, Collection[str]], *, several: bool) -> Rows:
    """Read an answer by the labels of rows; a drawn one that holds nothing but what is ``printed`` in it is left out.

    Where ``several`` rows may stand on a line, each label begins one.
    """
    labels = [slug(name) for name in printed]
    blank = dict(zip(labels, printed.values(), strict=True))
    if isinstance(answer.data, dict):
        given = {slug(str(label)): value for label, value in answer.data.items()}
        return Rows({k: given[k] for k in given if k in labels}, ", ".join(k for k in given if k not in labels))
    if isinstance(answer.data, list):
        return Rows(dict(zip(labels, answer.data, strict=False)))
    found: list[tuple[str, Any]] = []
    loose: list[str] = []
    head: Sequence[str] = ()
    for line in (line.strip() for line in answer.text.splitlines() if re.search(r"\w", line)):
        parts = [part.strip() for part in line.strip("|").split("|")]
        at = next((at for at, part in enumerate(parts[:2]) if slug(part) in labels), None)
        if len(parts) == 1:
            said = pieces(line, labels, several=several)
            found += said
            loose += [] if said else [re.sub(rf"^{_BULLET}", "", line)]
        elif at is None or slug(parts[-1]) in labels:
            loose += [line] if head else []
            head = head or parts
        elif any(re.search(r"\w", part) and part not in blank[slug(parts[at])] for part in parts[at + 1 :]):
            found.append((slug(parts[at]), parts[at + 1 :]))
    if not found and loose:
        found = _in_order(labels, loose, several=several)
        loose = [] if found else loose
    doubtful = len(dict(found)) < len(found) or "&" in answer.text  # told twice, or a table of LaTeX
    return Rows({}, answer.text) if doubtful else Rows(dict(found), " ".join(loose), head)


def pieces(line: str, labels: Sequence[str], *, several: bool = True) -> list[tuple[str, str]]:
    """Return what a line says of each label, ``who: yes, studied (4): yes``; nothing where it begins with none.

    Unless ``several`` may be told, the first label has the whole line.
    """
    either = "|".join(re.escape(label).replace(r"\ ", r"\W+") for label in sorted(labels, key=len, reverse=True))
    found = list(re.finditer(rf"(?<![\w.])[*_`\"“]*(?P<label>{either})(?!\w){_BEHIND}", line, re.IGNORECASE))
    if not found or not re.fullmatch(_BULLET, line[: found[0].start()]):
        return []
    found = found if several else found[:1]
    ends = [match.start() for match in found[1:]] + [len(line)]
    said = [line[match.end() : end].strip(" *_`,;").rstrip(" +-•") for match, end in zip(found, ends, strict=True)]
    return [(slug(match["label"]), text) for match, text in zip(found, said, strict=True) if text]


def _in_order(labels: Sequence[str], lines: Sequence[str], *, several: bool) -> list[tuple[str, str]]:
    """Return rows without labels: as many lines, or parts of the only one, as there are rows."""
    one = lines[0] if several and len(lines) == 1 else ""
    for parts in (lines, re.split(r"[,;/]", one), one.split()):
        each = [part for part in parts if part.strip()]
        if len(each) == len(labels):
            return list(zip(labels, each, strict=True))
    return []


# ---------------------------------------------------------------------------------------------------------- choices


def judge_rows(key: RowsKey, answer: Written) -> Judged:
    """Judge a choice a row; a row left empty is not right, one that cannot be read sends the answer to a person."""
    steps = range(key.first, key.first + len(key.rows))
    told = read_rows(answer, {label: (str(n),) for label, n in zip(key.rows, steps, strict=True)}, several=True)
    said = _for_all(key, answer) or {label: str(_last(cells) or "") for label, cells in told.cells.items()}
    if not said and told.beside:
        return for_a_person(f"{quoted(answer.text)} is not read row by row.")
    good: list[str] = []
    bad: list[str] = []
    unread: list[str] = []
    empty: list[str] = []
    for number, (label, wanted) in zip(steps, key.rows.items(), strict=True):
        text = said.get(slug(label), "")
        picked = options_in(text, key.options)
        if not text.strip(" _-–—"):
            bad.append(f"{label}: left empty")
            empty.append(label)
        elif len(picked) != 1:
            unread.append(f"{label}: {quoted(text, 30)}")
        elif picked[0] != wanted:
            bad.append(f"{label}: {quoted(text, 30)}")
        elif key.earlier and any(int(step) >= number for step in re.findall(r"\d+", text)):
            bad.append(f"{label} is step {number} and can only depend on steps before it, not {quoted(text, 30)}")
        else:
            good.append(label)
    asked = len(key.rows)
    if empty and (told.beside or any(len(text.split()) > LONGEST_CELL for text in said.values())):
        unread.append(f"what is said of {', '.join(empty[:MOST_ROWS])}")
    if unread:
        return for_a_person(f"Not read: {'; '.join(unread)}.", suggested=len(good) / asked)
    if not bad:
        return right(asked)
    slip = next((s for s in key.slips if any(v in text for v in s.values for text in said.values())), None)
    more = f"; and {len(bad) - MOST_ROWS} more" if bad[MOST_ROWS:] else ""
    told_bad = f"{'; '.join(bad[:MOST_ROWS])}{more}"
    return wrong(f"{len(good)} of {asked} rows are right. {told_bad}.", len(good), asked, slip)


def _last(cells: Any) -> Any:
    return cells[-1] if isinstance(cells, list) else cells


def _for_all(key: RowsKey, answer: Written) -> dict[str, str]:
    """Return the rows of an answer that says the same of all of them and, beside the printed table, nothing else."""
    text = " ".join(line for line in answer.text.splitlines() if "|" not in line)
    picked = options_in(text, key.options)
    if answer.data is not None or len(picked) != 1 or re.search(r"\d", text) or not _FOR_ALL.search(text.lower()):
        return {}
    plain = {*_BESIDE_ALL, *words_of(" ".join(key.options[picked[0]])), *(small_words()[0] - small_words()[1])}
    said = words_of(in_english(text) or text)
    known = all(word in plain or f"{word}s" in plain for word in said)
    return dict.fromkeys(map(slug, key.rows), picked[0]) if known else {}


# ---------------------------------------------------------------------------------------------------------- weights


def judge_table(key: TableKey, answer: Written) -> Judged:
    """Judge weights row by row: what was given stands, each row sums as it should, each entry lies in its range."""
    given = {label: [f"{value:g}" for value in key.given.get(label, {}).values()] for label in key.rows}
    text = _SUM.sub("", answer.text)
    if len(key.rows) == 1 and "|" not in text and answer.data is None:  # the columns alone tell what is what
        told = Rows({slug(key.rows[0]): " ".join(text.split())})
    elif len(key.rows) == 1 and len(answer.data or ()) == len(key.columns):
        told = Rows({slug(key.rows[0]): answer.data})
    else:
        told = read_rows(Written(text, answer.data), given, several=False)
    if not told.cells and told.beside:
        return for_a_person(f"{quoted(answer.text)} is not read as a table.")
    good: list[str] = []
    bad: list[str] = []
    for label in key.rows:
        cells = _by_column(key, told.cells.get(slug(label)), told.head)
        values = {column: number(cell) if column else None for column, cell in cells.items() if cell.strip()}
        if unread := [column for column, value in values.items() if value is None]:
            where = f"Row {label}, column {unread[0]}" if unread[0] else f"Row {label}"
            return for_a_person(f"{where}: {quoted(cells[unread[0]], 30)} is not read as a number.")
        problem = _problem(key, label, {column: value for column, value in values.items() if value is not None})
        (bad if problem else good).append(problem or label)
    if not bad:
        return right(len(key.rows))
    if told.beside and any(problem.endswith("left empty") for problem in bad):
        return for_a_person(f"{quoted(answer.text)} is not read as a whole.", suggested=len(good) / len(key.rows))
    return wrong(f"{len(good)} of {len(key.rows)} rows are right. {'; '.join(bad)}.", len(good), len(key.rows))


def _problem(key: TableKey, label: str, row: Mapping[str, float]) -> str:
    """Say what is wrong with the numbers of a row; empty where nothing is."""
    low, high = key.between
    given = key.given.get(label, {})
    if not row.keys() - given.keys():
        return f"{label}: left empty"
    row = {**given, **row}
    if lacking := next((column for column in key.columns if column not in row), ""):
        return f"{label}: {lacking} is left empty"
    if abs(sum(row.values()) - 100 * key.row_sum) <= 100 * key.tolerance:  # percentages
        row = {column: value / 100 for column, value in row.items()}
    total = sum(row.values())
    for column, value in row.items():
        if column in given and abs(value - given[column]) > key.tolerance:
            return f"{label}: {column} was given as {given[column]:g}, you have {value:g}"
        if column not in given and not low <= value <= high:
            return f"{label}: {value:g} is {'less' if value < low else 'more'} than {low if value < low else high:g}"
    return (
        ""
        if abs(total - key.row_sum) <= key.tolerance
        else f"{label}: the row sums to {total:.4g}, not to {key.row_sum:g}"
    )


def number(text: str) -> float | None:
    """Return a cell's number, a minus sign kept; None where it is anything else."""
    found = read_number(text)
    return found.value if isinstance(found, Number) else None


def _by_column(key: TableKey, told: Any, head: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row: a mapping, a list, or text such as ``love 0.3, treats 0.2`` or ``0.5 0.3 0.2``.

    A text that is neither stands in a column without a name, which no number is read in.
    """
    columns = {slug(column): column for column in key.columns}
    if isinstance(told, dict):
        return {columns.get(slug(str(name)), ""): str(cell or "") for name, cell in told.items()}
    if isinstance(told, list):
        names = [columns[slug(name)] for name in head if slug(name) in columns]
        order = names if len(names) == len(columns) else key.columns
        cells = [str(cell) for cell in told]
        return dict(zip(order, cells, strict=False)) if len(cells) >= len(columns) else {"": ", ".join(cells)}
    text = str(told or "")
    named = pieces(text, list(columns))
    figures = _FIGURE.findall(text)
    if len(figures) == len(columns) != len(named):
        return dict(zip(key.columns, figures, strict=True))
    found = {columns[name]: figure[0] for name, cell in named if len(figure := _FIGURE.findall(cell)) == 1}
    return found if found and len(found) == len(named) else {"": text}
