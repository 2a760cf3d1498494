"""Who is in the class, and whose hand-in is whose; what cannot be told is reported, never guessed."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.classroom.entry import Entry, safe_key
from grader.errors import GraderError

_NAME = ("name", "full name", "student", "student name", "display name")
_FIRST, _LAST = ("first name", "given name", "first"), ("last name", "surname", "family name", "last")
_IDS = (
    "id", "sid", "student id", "sis user id", "sis login id", "login", "username", "user name", "user id", "email",
    "email address", "e-mail", "github username", "github_username", "github", "identifier", "roster_identifier",
    "participant", "id number", "idnumber",
)  # fmt: skip
_GROUP = ("group", "group name", "team", "section group")


@dataclass(frozen=True, slots=True)
class Student:
    """A row of the roster. ``key`` names the student's report and gradebook row."""

    key: str
    name: str
    ids: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Matched:
    """Entries under the roster's names, and what a person has to look at."""

    entries: tuple[Entry, ...]
    missing: tuple[Student, ...]
    unknown: tuple[str, ...]
    ambiguous: tuple[str, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to tell the instructor, one sentence each."""
        return (
            *(f"{student.name}: nothing was handed in" for student in self.missing),
            *(f"{name}: not on the roster; graded under this name" for name in self.unknown),
            *self.ambiguous,
        )


def read_roster(path: Path) -> tuple[Student, ...]:
    """Read a roster CSV (comma, semicolon or tab; any of the usual headings). Raises GraderError."""
    rows = read_table(path)
    if not rows:
        raise GraderError("there is nobody on it", str(path), "Expected a CSV with a heading and one row per student.")
    headings = {_plain(heading): heading for heading in rows[0]}
    names = [headings[known] for known in _NAME if known in headings]
    first, last = (next((headings[k] for k in known if k in headings), "") for known in (_FIRST, _LAST))
    ids = [headings[known] for known in _IDS if known in headings]
    group = next((headings[known] for known in _GROUP if known in headings), "")
    if not names and not (first or last) and not ids:
        raise GraderError("has no column for names or ids", str(path), f"Found: {', '.join(rows[0])}. Call one `name`.")
    students = []
    for row in rows:
        name = (row.get(names[0], "") if names else f"{row.get(first, '')} {row.get(last, '')}").strip()
        known = tuple(value.strip() for heading in ids if (value := row.get(heading) or "").strip())
        if name or known:
            students.append(
                Student(safe_key(name or known[0]), name or known[0], known, (row.get(group) or "").strip())
            )
    return _distinct(students)


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV of whatever separator as dictionaries. Raises GraderError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_bytes().decode("cp1252", "replace")
    except OSError as error:
        raise GraderError(f"cannot be read ({error.strerror})", str(path), "Check the path.") from error
    separator = separator_of(text)
    return [
        {(key or "").strip(): value or "" for key, value in row.items() if isinstance(value, str) or value is None}
        for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    ]


def separator_of(text: str) -> str:
    """What parts the columns of a CSV: the most frequent of comma, semicolon and tab in its heading."""
    head = text.split("\n", 1)[0]
    return max(",;\t", key=head.count)


def match(entries: Iterable[Entry], roster: Sequence[Student]) -> Matched:
    """Put each entry under its student: by an id first, then by name, whatever its order, case and accents."""
    by_id, by_name = defaultdict(list), defaultdict(list)
    for student in roster:
        for known in student.ids:
            for form in {known.casefold(), known.casefold().partition("@")[0]}:
                by_id[form].append(student)
        for form in _forms(student.name):
            by_name[form].append(student)
    kept, unknown, ambiguous, handed_in = [], [], [], set()
    for entry in entries:
        found = _found(entry, by_id, by_name)
        if len(found) == 1:
            student = found[0]
            handed_in.add(student.key)
            handed_in |= {mate.key for member in entry.members for mate in by_name.get(_form(member), ())}
            kept.append(replace(entry, key=student.key, name=student.name, ids=(*student.ids, *entry.ids)))
        else:
            kept.append(entry)
            if found:
                who = ", ".join(
                    f"{student.name} ({student.ids[0] if student.ids else student.key})" for student in found
                )
                ambiguous.append(f"{entry.name}: could be {who}; graded under its own name")
                handed_in |= {student.key for student in found}
            else:
                unknown.append(entry.name)
    missing = tuple(student for student in roster if student.key not in handed_in)
    return Matched(tuple(kept), missing, tuple(unknown), tuple(ambiguous))


def _found(entry: Entry, by_id: Mapping[str, list[Student]], by_name: Mapping[str, list[Student]]) -> list[Student]:
    for known in entry.ids:
        if people := _once(by_id.get(known.casefold(), [])):
            return people
    for form in _forms(entry.name):
        if people := _once(by_name.get(form, [])):
            return people
    return _once([student for member in entry.members[:1] for student in by_name.get(_form(member), [])])


def _once(students: Iterable[Student]) -> list[Student]:
    return list({student.key: student for student in students}.values())


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"\s+", " ", "".join(c for c in folded if not unicodedata.combining(c))).strip()


def _form(name: str) -> str:
    """A name whatever the order of its parts."""
    return " ".join(sorted(re.findall(r"[^\W_]+", _plain(name).replace("'", "").replace("’", ""))))


def _forms(name: str) -> tuple[str, ...]:
    """A name as platforms write it: parts in any order, and run together as last name, first name."""
    plain = re.sub(r"['’]", "", _plain(name))
    parts = re.findall(r"[^\W_]+", plain)
    turned = parts[-1:] + parts[:-1] if "," not in plain else parts
    return tuple(dict.fromkeys((_form(name), "".join(parts), "".join(turned))))


def _distinct(students: Iterable[Student]) -> tuple[Student, ...]:
    seen: dict[str, int] = defaultdict(int)
    result = []
    for student in students:
        seen[student.key] += 1
        number = seen[student.key]
        result.append(student if number == 1 else replace(student, key=f"{student.key}-{number}"))
    return tuple(result)
