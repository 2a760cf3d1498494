"""The instructor's own sheet from a platform, filled in: grades and comments change, every other cell stays.

A row is told by an id of the platform. A name alone tells only where nobody else is called so, on either side, and
where no id speaks against it: a grade in the row of a namesake is worse than a row that is left.
"""

import csv
import html
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from grader.classroom.cells import safe_cell
from grader.classroom.names import differ, name_form, shared_word
from grader.classroom.row import GradebookRow
from grader.classroom.steps import NOTHING
from grader.classroom.tables import read_rows
from grader.classroom.words import HEADINGS
from grader.errors import GraderError

_FULL_NAME = re.compile(r"full name|vollständiger name|nom complet|nombre completo|nome completo|volledige naam")
_COMMENTS = re.compile(r"feedback.*(comm|komm)|(comm?ent|koment).*(feedback|retroaliment)", re.IGNORECASE)
_MAXIMUM = re.compile(r"max|best|máx", re.IGNORECASE)
_NUMBER = re.compile(r"\d+([.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as it was downloaded: ``rows`` hold every cell as it is, ``grade`` and ``comments`` are column numbers.

    ``ids`` are the columns that tell a person, the first of them first; ``name`` may tell one. A column that there is
    not is -1. ``excused`` is what the platform takes for no grade at all, ``word`` stands before the
    number of everybody. ``first`` is the column of first names, where ``name`` holds the last ones; ``most`` is the
    maximum where the heading says it.
    """

    path: Path
    headings: tuple[str, ...]
    rows: tuple[list[str], ...]
    separator: str
    ids: tuple[int, ...]
    name: int
    grade: int
    maximum: int = -1
    comments: int = -1
    excused: str = "EX"
    word: str = ""
    first: int = -1
    most: str = ""

    def called(self, row: Sequence[str]) -> str:
        """The name in a row; empty where there is no column for it."""
        return f"{self.cell(row, self.first)} {self.cell(row, self.name)}".strip()

    def cell(self, row: Sequence[str], column: int) -> str:
        """One cell; empty where the row is too short or there is no such column."""
        return row[column].strip() if 0 <= column < len(row) else ""

    def known(self, row: Sequence[str], column: int) -> list[str]:
        """The id in a column, a number behind Moodle's word (``Participant 7``) also by itself."""
        one = self.cell(row, column)
        return list(dict.fromkeys((one.casefold(), one.removeprefix(self.word).casefold()))) if one else []

    @property
    def people(self) -> tuple[list[str], ...]:
        """The rows of people; those without an id are the platform's own, such as the points that are possible."""
        return tuple(row for row in self.rows if any(self.cell(row, column) for column in self.ids))

    @property
    def comma(self) -> bool:
        """Whether numbers are written with a comma."""
        cells = (self.cell(row, column) for row in self.rows for column in (self.grade, self.maximum))
        return any(re.fullmatch(r"\d+,\d+", cell) for cell in cells)


def canvas(path: Path, title: str) -> Sheet:
    """Canvas's gradebook: ID, SIS User ID, SIS Login ID, then the name decide, as in Canvas itself. GraderError."""
    headings, rows, separator = _read(path)
    ids = tuple(headings.index(name) for name in ("ID", "SIS User ID", "SIS Login ID") if name in headings)
    if not ids:
        raise GraderError("has no column ID, so it is no gradebook of Canvas", str(path), "Export that as CSV.")
    plain = [re.sub(r" \(\d+\)$", "", heading) for heading in headings]
    found = [n for n, heading in enumerate(headings) if title == heading] or [
        n for n, heading in enumerate(plain) if title == heading and headings[n] != heading
    ]
    if not found:
        known = [plain[n] for n, heading in enumerate(headings) if heading != plain[n]]
        cure = f" It has: {', '.join(known[:8])}{', …' if len(known) > 8 else ''}." if known else ""  # noqa: PLR2004
        raise GraderError(
            f"has no column for {title!r}", str(path), f"Name the assignment as Canvas does with --title.{cure}"
        )
    if len(found) > 1:
        raise GraderError(
            f"has several columns for {title!r}", str(path),
            f"Give one whole with --title: {' or '.join(repr(headings[n]) for n in found)}.",
        )  # fmt: skip
    name = headings.index("Student") if "Student" in headings else 0
    return Sheet(path, headings, rows, separator, ids, name, found[0])


_BLACKBOARD = re.compile(r"(?P<title>.*?) \[[^\[\]\d]*+(?P<most>\d++(?:[.,]\d++)?)[^\[\]]*+\] ?\|\d+")
_BRIGHTSPACE = re.compile(r"(?P<title>.*) Points Grade(?: <(?>[^<>]*?MaxPoints:(?P<most>\d++(?:\.\d++)?))[^<>]*+>)?")


def blackboard(path: Path, title: str) -> Sheet:
    """Blackboard's grade centre, downloaded for work offline: ``HW 5 [Total Pts: 20 Score] |4711``. GraderError."""
    feedback = "Feedback to User"
    return _headed(path, title, "Blackboard", _BLACKBOARD, ("Username", "Student ID"), comments=feedback)


def brightspace(path: Path, title: str) -> Sheet:
    """Brightspace's exported grades: ``HW 5 Points Grade <Numeric MaxPoints:20 …>``, ids behind ``#``. GraderError."""
    return _headed(path, title, "Brightspace", _BRIGHTSPACE, ("OrgDefinedId", "Username", "Email"), word="#")


def _headed(
    path: Path, title: str, platform: str, heading: re.Pattern[str], known: Sequence[str], comments: str = "",
    word: str = "",
) -> Sheet:  # fmt: skip
    """A sheet in which the heading of a column says what is graded, and for how many points."""
    headings, rows, separator = _read(path)
    ids = tuple(headings.index(name) for name in known if name in headings)
    if not ids:
        what = f"has no column {' or '.join(known)}, so it is no sheet of {platform}"
        raise GraderError(what, str(path), "Download the grades from there.")
    graded = {n: match for n, text in enumerate(headings) if (match := heading.fullmatch(text))}
    found = [n for n, match in graded.items() if title in {match["title"], headings[n]}]
    if len(found) != 1:
        named = ", ".join(match["title"] for match in graded.values()) or "none"
        what = f"has {'several columns' if found else 'no column'} for {title!r}"
        raise GraderError(what, str(path), f"Name the assignment as {platform} does with --title. It has: {named}.")
    last, first = (headings.index(name) if name in headings else -1 for name in ("Last Name", "First Name"))
    said = headings.index(comments) if comments in headings else -1
    most = graded[found[0]]["most"] or ""
    return Sheet(path, headings, rows, separator, ids, last, found[0], comments=said, excused="", word=word,
                 first=first, most=most)  # fmt: skip


def moodle(path: Path, title: str) -> Sheet:
    """Moodle's grading worksheet, in whatever language: the first column identifies, addresses do too. GraderError."""
    headings, rows, separator = _read(path)
    column = next((n for n, heading in enumerate(headings) if heading == title), -1)
    if column < 0:
        column = next((headings.index(known) for known in HEADINGS["grade"] if known in headings), -1)
    if column < 0:
        raise GraderError(
            "has no column Grade", str(path),
            "Download the grading worksheet from the assignment's page. Is it in another language? Name the column"
            f" with --title. It has: {', '.join(headings)}.",
        )  # fmt: skip
    mails = [n for n, heading in enumerate(headings) if n and any("@" in _cell(row, n) for row in rows[:50])]
    ids = (0, *(n for n in mails if re.search(r"mail|correo|correio|courriel", headings[n], re.IGNORECASE)))
    name = next((n for n, heading in enumerate(headings) if _FULL_NAME.match(heading.casefold())), -1)
    comments = next((n for n, heading in enumerate(headings) if _COMMENTS.search(heading)), -1)
    beside = column + 1
    maximum = beside if beside < len(headings) and _MAXIMUM.search(headings[beside]) else -1
    word = shared_word(_cell(row, 0) for row in rows)
    return Sheet(path, headings, rows, separator, ids, name, column, maximum, comments, excused="", word=word)


def _cell(row: Sequence[str], column: int) -> str:
    return row[column] if column < len(row) else ""


def _read(path: Path) -> tuple[tuple[str, ...], tuple[list[str], ...], str]:
    rows, separator = read_rows(path)
    if not rows:
        raise GraderError("is empty", str(path), "Download the sheet again.")
    return tuple(heading.strip() for heading in rows[0]), tuple(rows[1:]), separator


def filled(sheet: Sheet, book: Sequence[GradebookRow]) -> tuple[str, tuple[str, ...]]:
    """Return the text of the sheet with the grades of ``book``, and remarks on what a person has to look at."""
    people = sheet.people
    by_row, remarks = _found(sheet, people, book)
    out, comma = [list(sheet.headings)], sheet.comma
    for row in sheet.rows:
        mine = by_row.get(id(row))
        out.append(row if mine is None else _with_grade(sheet, row, mine, comma, remarks))
    used = {row.key for row in by_row.values()}
    remarks += [f"{row.name}: no row in the sheet" for row in book if row.key not in used and not row.score.none_yet]
    remarks += _other_maximum(sheet, people, book)
    text = io.StringIO()
    csv.writer(text, delimiter=sheet.separator, lineterminator="\r\n").writerows(out)
    return text.getvalue(), tuple(remarks)


def _with_grade(sheet: Sheet, row: Sequence[str], mine: GradebookRow, comma: bool, remarks: list[str]) -> list[str]:
    if mine.score.none_yet and not mine.comment:
        return [*row]  # nobody gave a grade: what may stand there is not ours to take away
    cells = [*row, *[""] * (len(sheet.headings) - len(row))]
    points = mine.points.replace(".", ",") if comma else mine.points
    stands, by_rule = cells[sheet.grade].strip(), mine.score.points is not None and mine.score.steps == (NOTHING,)
    if by_rule and stands not in {"", "-", points}:
        remarks.append(f"{mine.name}: handed in nothing and has {stands} in the sheet, which is left")
        return [*row]
    if not mine.score.none_yet:
        cells[sheet.grade] = sheet.excused if mine.score.excused else points
    said = "; ".join((*map(str, mine.score.steps), *((mine.comment,) if mine.comment else ())))
    if sheet.comments >= 0 and said:
        before = cells[sheet.comments]
        if not before.strip():
            cells[sheet.comments] = safe_cell(said)
        elif said not in before and html.escape(said) not in before:
            cells[sheet.comments] = f"{before}<p>{html.escape(said)}</p>" if "<" in before else f"{before} {said}"
            remarks.append(f"{mine.name}: has a comment in the sheet already; ours stands behind it")
    return cells


@dataclass(frozen=True, slots=True)
class _Person:
    row: GradebookRow
    name: str
    ids: frozenset[str]


def _persons(book: Iterable[GradebookRow]) -> Iterator[_Person]:
    """Everybody whom the book is about, and every group as such."""
    for row in book:
        for name, ids in row.people:
            yield _Person(row, name, frozenset(known.casefold() for known in ids))
        if row.members:
            theirs = {known.casefold() for _, ids in row.people for known in ids}
            yield _Person(row, row.name, frozenset(known.casefold() for known in row.ids) - theirs)


def _found(
    sheet: Sheet, people: Sequence[list[str]], book: Sequence[GradebookRow]
) -> tuple[dict[int, GradebookRow], list[str]]:
    """The result of each row of the sheet, by its identity, and what is said of rows that have none."""
    persons = list(_persons(book))
    owners: dict[str, list[_Person]] = defaultdict(list)
    for person in persons:
        for known in person.ids:
            owners[known].append(person)
    found: dict[int, _Person] = {}
    told: Counter[int] = Counter()
    twice: dict[int, str] = {}
    for row in people:
        for column, known in [(at, known) for at in sheet.ids for known in sheet.known(row, at)]:
            mine = {person.row.key: person for person in owners.get(known, ())}
            if len(mine) == 1:
                found[id(row)] = mine.popitem()[1]
                told[column] += 1
                break
            if mine:
                twice[id(row)] = _several(mine)
    trusted = [column for column, count in told.items() if count >= len(found) / 2]
    lines = Counter(name_form(sheet.called(row)) for row in people)
    left = [row for row in people if id(row) not in found and id(row) not in twice]
    named, remarks = _by_name(sheet, left, lines, persons, found, trusted)
    for row in people:
        if id(row) not in found and id(row) not in named and sheet.called(row) != "Student, Test":
            said = twice.get(id(row), "no result")
            remarks.append(f"{_called(sheet, row, lines)}: {said}; the row is left as it is")
    return {at: person.row for at, person in {**named, **found}.items()}, remarks


def _several(found: Mapping[str, _Person]) -> str:
    if len({key.partition(".")[0] for key in found}) == 1:
        return "has several attempts in the results, and the sheet takes one (--attempt latest or best)"
    return f"could be any of {', '.join(sorted(found))}"


def _by_name(
    sheet: Sheet,
    left: Sequence[list[str]],
    lines: Mapping[str, int],
    persons: Sequence[_Person],
    found: Mapping[int, _Person],
    trusted: Sequence[int],
) -> tuple[dict[int, _Person], list[str]]:
    """Rows that only a name tells, where one person has it in the sheet and one in the book.

    Ids in the columns that tell the others must not speak against it.
    """
    called: dict[str, list[_Person]] = defaultdict(list)
    for person in persons:
        called[name_form(person.name)].append(person)
    taken = {id(person) for person in found.values()}
    named, remarks = {}, []
    for row in left:
        form = name_form(sheet.called(row))
        mine = called.get(form, []) if form else []
        if len(mine) != 1 or lines[form] != 1 or id(mine[0]) in taken:
            continue
        if any(differ(sheet.known(row, column), mine[0].ids) for column in trusted):
            continue
        named[id(row)] = mine[0]
        if trusted:
            remarks.append(f"{_called(sheet, row, lines)}: told by the name alone")
    return named, remarks


def _called(sheet: Sheet, row: Sequence[str], lines: Mapping[str, int]) -> str:
    """The name of a row, with its first id where another one has the same name."""
    name, first = sheet.called(row), next(iter(sheet.ids), 0)
    if not name:
        return sheet.cell(row, first) or "a row without a name"
    return f"{name} ({sheet.cell(row, first)})" if lines[name_form(name)] > 1 else name


def _other_maximum(sheet: Sheet, people: Sequence[list[str]], book: Sequence[GradebookRow]) -> list[str]:
    """A remark where the sheet counts to another maximum than the results: Moodle refuses what is above it."""
    persons = {id(row) for row in people}
    asked = [sheet.cell(row, sheet.maximum) for row in people] if sheet.maximum >= 0 else []
    asked += [sheet.cell(row, sheet.grade) for row in sheet.rows if id(row) not in persons]
    asked += [sheet.most]
    known = {Decimal(text.replace(",", ".")) for text in asked if _NUMBER.fullmatch(text)}
    ours = {row.score.maximum for row in book}
    if not ours or len(known) != 1 or known == ours:
        return []
    theirs, most = known.pop(), max(ours)
    return [
        f"the sheet counts to {theirs.normalize():f} points and the results to {most.normalize():f}: mend one of them"
    ]
