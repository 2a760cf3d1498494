"""Who is in the class, and whose hand-in is whose; what cannot be told is reported, never guessed."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.classroom.entry import Entry, free, safe_key
from grader.classroom.filenames import common_words, in_words, joined
from grader.classroom.names import forms, kind, name_form, shared_word
from grader.classroom.tables import heading_form, read_table
from grader.classroom.words import HEADINGS
from grader.errors import GraderError

_LONGEST_NUMBER = 40
_CUT = re.compile(r"\d([.,]\d+)?E\+\d+", re.IGNORECASE)
"""A long number as spreadsheets show it, and save it."""
_PEOPLE = {name for what in ("name", "first", "last", "ids") for name in HEADINGS[what]}
"""The headings of which a roster has one."""


@dataclass(frozen=True, slots=True)
class Student:
    """A row of the roster. ``key`` names the student's report and gradebook row.

    ``submitted_at`` is there where the roster is a platform's own table of grades, which tells when they handed in.
    ``lost`` are ids of which a spreadsheet kept the first digits alone, as in 1.01235E+08: they tell nobody.
    """

    key: str
    name: str
    ids: tuple[str, ...]
    group: str = ""
    submitted_at: str = ""
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matched:
    """Entries under the roster's names, and what a person has to look at."""

    entries: tuple[Entry, ...]
    missing: tuple[Student, ...]
    unknown: tuple[str, ...]
    ambiguous: tuple[str, ...]
    guessed: tuple[str, ...] = ()


def told_apart(students: Sequence[Student], roster: Iterable[Student]) -> tuple[str, ...]:
    """The names of ``students``, each with an id where somebody else on the roster has the same."""
    count = Counter(student.name for student in roster)
    return tuple(f"{s.name} ({s.ids[0]})" if count[s.name] > 1 and s.ids else s.name for s in students)


def read_roster(path: Path) -> tuple[Student, ...]:
    """Read a roster CSV (comma, semicolon or tab; any of the usual headings). Raises GraderError."""
    rows = read_table(path, _PEOPLE)
    if not rows:
        raise GraderError("there is nobody on it", str(path), "Expected a CSV with a heading and one row per student.")
    headings = {heading_form(heading): heading for heading in reversed(rows[0])}
    columns = {what: [headings[one] for one in known if one in headings] for what, known in HEADINGS.items()}
    names, ids = columns["name"], columns["ids"]
    first, last, group, when = (next(iter(columns[what]), "") for what in ("first", "last", "group", "when"))
    if not names and not (first or last) and not ids:
        raise GraderError(
            "has no column for names or ids",
            str(path),
            f"The first line has: {', '.join(rows[0])}. It has to name the columns; call one `name`.",
        )
    students = []
    prefix = {heading: shared_word(row.get(heading, "") for row in rows) for heading in ids}
    for row in rows:
        if _is_canvas(headings) and (not row["ID"] or row["Student"] == "Student, Test"):
            continue  # points that are possible, how grades are posted, and Canvas's own student
        name = (row.get(names[0], "") if names else f"{row.get(first, '')} {row.get(last, '')}").strip()
        found = ((heading, value) for heading in ids if (value := (row.get(heading) or "").strip()))
        known = tuple(
            dict.fromkeys(
                form for heading, value in found for form in (value, value.removeprefix(prefix[heading])) if form
            )
        )
        if any("\n" in told.strip() for told in (name, *known)):
            raise GraderError("a name or an id in it goes on over several lines", str(path), "Is a quote not closed?")
        if name or known:
            name = name or next((value for value in known if " " in value), known[0])
            said = (row.get(when) or "").strip()
            lost = tuple(value for value in known if _CUT.fullmatch(value) and value != name)
            kept = tuple(value for value in known if value not in lost)
            within = (row.get(group) or "").strip()
            students.append(Student(safe_key(name), name, kept, within, said if _told(said) else "", lost))
    return _distinct(students)


def _told(when: str) -> bool:
    """Whether a cell says a time at all, be it one that cannot be read: ``-`` says that there is none."""
    return any(sign.isdigit() for sign in when)


def _is_canvas(headings: Mapping[str, str]) -> bool:
    return {"Student", "ID", "Section"} <= {*headings.values()}


@dataclass(frozen=True, slots=True)
class _Known:
    """The roster by id, by name and by group, each in the forms that platforms write."""

    by_id: Mapping[str, list[Student]]
    by_name: Mapping[str, list[Student]]
    by_group: Mapping[str, list[Student]]
    slugs: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def ends(self, own: str) -> Iterator[str]:
        """What is behind a slug that most of the class share (``hw-1-mary-ann``), the longest first."""
        for n in range(1, own.count("-") + 1):
            end = own.split("-", n)[-1]
            if own.removesuffix(end).casefold() in self.slugs:
                yield end


def match(entries: Iterable[Entry], roster: Sequence[Student]) -> Matched:
    """Put each entry under its student: by an id first, then by name, whatever its order, case and accents.

    A group is told by the ids and names of its members, or by its name on the roster.
    """
    entries = tuple(entries)
    known = replace(_known(roster), slugs=_slugs(entries))
    known = replace(known, kinds=_telling(entries, known))
    common = common_words(entries)
    kept: list[Entry] = []
    unknown, ambiguous, guessed, handed_in = [], [], [], set()
    for entry in entries:
        if mates := _team(entry, known):
            kept.append(_as_group(entry, mates))
            handed_in |= {student.key for mate in mates for student in ([mate] if isinstance(mate, Student) else [])}
            continue
        found = _found(entry, known)
        if not found and entry.named and (found := in_words(entry.name, roster, common)):
            guessed += [f"{entry.name} ({found[0].name})"] if len(found) == 1 else []
        handed_in |= {student.key for student in found}
        if len(found) == 1:
            kept.append(_under(entry, found[0]))
            continue
        kept.append(_apart(entry, kept) if found else entry)
        if found:
            who = ", ".join(f"{one.name} ({one.ids[0] if one.ids else one.key})" for one in found)
            file = f", {entry.files[0].path.name}" if entry.attempt > 1 and entry.files else ""
            own = f", {kept[-1].key}" if kept[-1].key != entry.key else ""
            ambiguous.append(f"{entry.name}{file}: could be {who}; graded under its own name{own}")
        else:
            unknown.append(entry.name)
    missing = tuple(student for student in roster if student.key not in handed_in)
    return Matched(joined(kept), missing, tuple(unknown), tuple(ambiguous), tuple(guessed))


def _under(entry: Entry, student: Student) -> Entry:
    return replace(
        entry, key=student.key, name=student.name, ids=tuple(dict.fromkeys((*student.ids, *entry.ids))),
        submitted_at=entry.submitted_at or student.submitted_at,
    )  # fmt: skip


def _apart(entry: Entry, before: Iterable[Entry]) -> Entry:
    """The entry of one of several people under a key of its own: two of them are never taken for one."""
    return replace(entry, key=free(entry.key, {other.key for other in before}))


def _slugs(entries: Sequence[Entry]) -> frozenset[str]:
    """Beginnings up to a hyphen that at least two, and half of the class, have in common."""
    found: Counter[str] = Counter()
    for entry in entries:
        parts = [own.casefold().split("-") for own in entry.ids if "@" not in own]
        found.update({"-".join(words[:n]) + "-" for words in parts for n in range(1, len(words))})
    return frozenset(slug for slug, count in found.items() if count >= max(2, len(entries) / 2))


def _known(roster: Sequence[Student]) -> _Known:
    by_id, by_name, by_group = defaultdict(list), defaultdict(list), defaultdict(list)
    for student in roster:
        for known in student.ids:
            for form in {known.casefold(), known.casefold().partition("@")[0], _number(known)}:
                by_id[form].append(student)
        for form in forms(student.name):
            by_name[form].append(student)
        if student.group:
            for form in forms(student.group)[:2]:
                by_group[form].append(student)
    return _Known(by_id, by_name, by_group)


def _team(entry: Entry, known: _Known) -> list[Student | str]:
    """The people of a group: students of the roster, or the name of a member who is not on it. Empty: no group."""
    if len(entry.members) > 1:
        ids = entry.member_ids or ((),) * len(entry.members)
        return [_member(name, own, known) or name for name, own in zip(entry.members, ids, strict=True)]
    found = _found(entry, known)
    if named := _mates(entry.name, known):  # in the name of the group, with the number of whoever handed it in
        return list(named) if not found or any(one in named for one in found) else []
    if found:
        return []
    for name in (entry.name, *entry.ids):
        for end in (name, *known.ends(name)):
            if re.search(r"[^\W\d_]", end) and (mates := _mates(end, known)):
                return list(mates)
    return []


def _mates(name: str, known: _Known) -> list[Student]:
    """The students of the group that is called so, in whatever form: Canvas writes ``projectgroup1``."""
    return next((mates for form in forms(name)[:2] if (mates := known.by_group.get(form))), [])


def _member(name: str, ids: Sequence[str], known: _Known) -> Student | None:
    found = _once(student for own in ids for student in known.by_id.get(own.casefold(), ()))
    found = found or _once(known.by_name.get(name_form(name), ()))
    return found[0] if len(found) == 1 else None


def _as_group(entry: Entry, mates: Sequence[Student | str]) -> Entry:
    before = dict(zip(entry.members, entry.member_ids, strict=False))
    students = [mate for mate in mates if isinstance(mate, Student)]
    each = tuple(
        tuple(dict.fromkeys((*mate.ids, *before.get(own, ())))) if isinstance(mate, Student) else before.get(mate, ())
        for mate, own in zip(mates, entry.members or ("",) * len(mates), strict=True)
    )
    names = tuple(mate.name if isinstance(mate, Student) else mate for mate in mates)
    return replace(
        entry, key=students[0].key if entry.members and students else entry.key, members=names, member_ids=each,
        ids=tuple(dict.fromkeys((*(known for ids in each for known in ids), *entry.ids))),
        submitted_at=entry.submitted_at or max((student.submitted_at for student in students), default=""),
    )  # fmt: skip


def _found(entry: Entry, known: _Known) -> list[Student]:
    for own in entry.ids:
        if people := _once(known.by_id.get(own.casefold(), [])):
            return people
    for own in entry.ids:  # a spreadsheet takes the zeros off
        if people := _once(known.by_id.get(_number(own), [])):
            return people
    for end in (end for own in entry.ids for end in known.ends(own)):
        if people := _once(known.by_id.get(end.casefold(), [])):
            return people
    for form in forms(entry.name):
        if people := _once(known.by_name.get(form, [])):
            return [student for student in people if not _against(entry.ids, student.ids, known.kinds)]
    return []


def _number(own: str) -> str:
    """An id of digits as a number, in a form that no id has; others as they are."""
    return f"#{int(own)}" if own.isdecimal() and len(own) < _LONGEST_NUMBER else own.casefold()


def _telling(entries: Sequence[Entry], known: _Known) -> frozenset[str]:
    """The kinds of ids by which half of those who have one are told: such an id also tells who somebody is not."""
    have, told = Counter[str](), Counter[str]()
    for entry in entries:
        have.update({kind(own) for own in entry.ids})
        told.update({kind(own) for own in entry.ids if known.by_id.get(own.casefold())})
    return frozenset(what for what, count in told.items() if what != "name" and count >= have[what] / 2)


def _against(one: Iterable[str], other: Iterable[str], kinds: Iterable[str]) -> bool:
    """Whether ids of one of these kinds are of two people."""
    return any(
        ours and theirs and not ours & theirs
        for what in kinds
        for ours, theirs in [[{own.casefold() for own in ids if kind(own) == what} for ids in (one, other)]]
    )


def _once(students: Iterable[Student]) -> list[Student]:
    return list({student.key: student for student in students}.values())


def _distinct(students: Iterable[Student]) -> tuple[Student, ...]:
    """Give people of the same name keys of their own, by an id: a number would go by the order of the roster.

    Rows with the same name and ids are one person, who is in two sections.
    """
    once: dict[tuple[str, ...], Student] = {}
    for number, student in enumerate(students):
        once.setdefault((student.name, *(student.ids or (str(number),))), student)
    students = tuple(once.values())
    count = Counter(student.key for student in students)
    seen: dict[str, int] = defaultdict(int)
    result = []
    for student in students:
        key = student.key
        if count[key] > 1 and student.ids:
            key = safe_key(f"{student.name} {student.ids[0]}")
        seen[key] += 1
        result.append(replace(student, key=key if seen[key] == 1 else f"{key}-{seen[key]}"))
    return tuple(result)
