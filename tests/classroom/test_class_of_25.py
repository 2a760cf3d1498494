"""One class of 25 in every form of export: nobody is lost, nobody gets somebody else's work, the last attempt counts.

Two are called Wei Zhang; Tom handed in twice, the earlier one wrong; Lea and Omar are a team; Bob's work is a .rar,
Ida's a zip in a zip; Ned handed in nothing.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.classroom.attempts import choose
from grader.classroom.entry import Entry, distinct, read
from grader.classroom.layouts import detect, entries_in, ignored_in
from grader.classroom.roster import Matched, match, read_roster
from grader.errors import UnreadableError

OLD, NEW = "def softmax(x):\n    return 0\n", "def softmax(x):\n    return {}\n"


@dataclass(frozen=True)
class Person:
    first: str
    last: str
    login: str
    number: int
    group: str = ""

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def run_together(self) -> str:
        return f"{self.last}{self.first}".lower().replace("-", "").replace(" ", "").replace("'", "")


SPECIAL = (
    Person("Wei", "Zhang", "wzhang", 101004), Person("Wei", "Zhang", "wzhang2", 101005),
    Person("Tom", "Ray", "tray", 101006), Person("Lea", "Berg", "lberg", 101007, "Team 7"),
    Person("Omar", "Haddad", "ohaddad", 101008, "Team 7"), Person("Bob", "Smith", "bsmith", 101009),
    Person("Ida", "Müller", "imueller", 101010), Person("Ned", "Noll", "nnoll", 101011),
    Person("Mary Ann", "O'Brien", "maobrien", 101012),
)  # fmt: skip
CLASS = (*SPECIAL, *(Person(f"Ann{chr(97 + n)}", f"Lee{chr(97 + n)}", f"alee{n}", 102000 + n) for n in range(16)))
ABSENT, TWICE, RAR, NESTED = SPECIAL[7], SPECIAL[2], SPECIAL[5], SPECIAL[6]
LATE = CLASS[-1]


def zip_of(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    return whole.getvalue()


def work_of(person: Person) -> tuple[str, bytes]:
    own = NEW.format(person.number).encode()
    if person is RAR:
        return "hw.rar", b"Rar!\x1a\x07\x00"
    if person is NESTED:
        return "hw.zip", zip_of({"mine.zip": zip_of({"hw.py": own})})
    return "hw.py", own


def hand_ins() -> Iterator[tuple[Person, str, bytes, int, bool]]:
    """Whose, the file's name, its bytes, which attempt, and whether it is late; a team hands in once, by the first."""
    for person in CLASS:
        if person is ABSENT or person.name == "Omar Haddad":
            continue
        if person is TWICE:
            yield person, "hw.py", OLD.encode(), 1, False
        yield person, *work_of(person), 2 if person is TWICE else 1, person is LATE


def canvas() -> dict[str, bytes]:
    found = {}
    for n, (who, name, data, attempt, late) in enumerate(hand_ins()):
        mark = "_LATE" if late else ""
        stem, _, ending = name.partition(".")
        again = "-1" if attempt == 2 else ""
        called = "team7" if who.group else who.run_together
        found[f"{called}{mark}_{who.number}_{900000 + n}_{stem}{again}.{ending}"] = data
    return found


def moodle() -> dict[str, bytes]:
    latest = {who: (name, data) for who, name, data, _, _ in hand_ins()}
    return {
        f"{who.group or who.name}_{who.number + 500000}_assignsubmission_file_/{name}": data
        for who, (name, data) in latest.items()
    }


def when(attempt: int, *, late: bool) -> tuple[int, int]:
    """The day of September and the hour: text would put the tenth before the ninth."""
    return (10, 9) if late or attempt == 2 else (9, 22)


def blackboard() -> dict[str, bytes]:
    found = {}
    for who, name, data, attempt, late in hand_ins():
        day, hour = when(attempt, late=late)
        start = f"HW_5_{who.group or who.login}_attempt_2026-09-{day:02}-{hour:02}-10-05"
        found[f"{start}_{name}"] = data
        about = f"Name: {who.name} ({who.login})\nAssignment: HW 5\nDate Submitted: Thursday, September {day}, 2026\n\n"
        about += "Submission Field:\nThere is no student submission text data for this assignment.\n\nFiles:\n"
        found[f"{start}.txt"] = b"" if who.group else f"{about}\tOriginal filename: {name}\n".encode()
    return found


def brightspace() -> dict[str, bytes]:
    found = {"index.html": b"<html></html>"}
    for who, name, data, attempt, late in hand_ins():
        day, hour = when(attempt, late=late)
        clock = f"{hour % 12 or 12}05 {'PM' if hour > 11 else 'AM'}"
        called = who.group or who.name
        found[f"{who.number - 90000}-77 - {called} - Sep {day}, 2026 {clock}/{name}"] = data
    return found


def sakai() -> dict[str, bytes]:
    found = {"HW 5/grades.csv": b"HW 5,Points\n"}
    latest = {who: (name, data) for who, name, data, _, _ in hand_ins()}
    for who in CLASS:
        folder = f"HW 5/{who.last}, {who.first}({who.login})"
        found[f"{folder}/comments.txt"] = b""
        if who in latest:
            name, data = latest[who]
            found[f"{folder}/Submission attachment(s)/{name}"] = data
            found[f"{folder}/timestamp.txt"] = b"20260909221005000"
    return found


def ilias() -> dict[str, bytes]:
    found = {"HW 5/HW 5.xlsx": b"PK"}
    for who, name, data, attempt, late in hand_ins():
        day, hour = when(attempt, late=late)
        people = [one for one in CLASS if who.group and one.group == who.group] or [who]
        for one in people:
            team = "Team_12/" if who.group else ""
            folder = f"HW 5/Submissions/{team}{one.last}_{one.first}_{one.login}_{one.number - 90000}"
            found[f"{folder}/202609{day:02}{hour:02}1005_{name}"] = data
    return found


def nbgrader() -> dict[str, bytes]:
    found = {"source/hw5/hw.ipynb": b"{}", "gradebook.db": b"x"}
    latest = {who: (name, data) for who, name, data, _, _ in hand_ins()}
    for who, (name, data) in latest.items():
        found[f"submitted/{who.login}/hw5/{name}"] = data
        found[f"submitted/{who.login}/hw5/timestamp.txt"] = b"2026-09-09 22:10:05.948203 UTC"
    return found


def gradescope() -> dict[str, bytes]:
    found, meta = {}, ""
    for n, (who, name, data, attempt, late) in enumerate(hand_ins(), 101):
        day, hour = when(attempt, late=late)
        people = [one for one in CLASS if who.group and one.group == who.group] or [who]
        listed = "".join(f"  - :name: {one.name}\n    :sid: '{one.number}'\n" for one in people)
        meta += f"submission_{n}:\n  :submitters:\n{listed}  :created_at: 2026-09-{day:02} {hour:02}:10:05 Z\n"
        found[f"submission_{n}/{name}"] = data
    return {**found, "submission_metadata.yml": meta.encode()}


def github() -> dict[str, bytes]:
    latest = {who: (name, data) for who, name, data, _, _ in hand_ins()}
    return {f"hw-5-{(who.group or who.login).replace(' ', '-')}/{name}": data for who, (name, data) in latest.items()}


def drive() -> dict[str, bytes]:
    found = {}
    for who, name, data, attempt, _ in hand_ins():
        stem, _, ending = name.partition(".")
        copy = " (1)" if attempt == 2 or who.login == "wzhang2" else ""
        found[f"{who.group or who.name} - {stem}{copy}.{ending}"] = data
    return found


def plain() -> dict[str, bytes]:
    latest = {who: (name, data) for who, name, data, _, _ in hand_ins()}
    return {f"{who.group or who.login}/{name}": data for who, (name, data) in latest.items()}


FORMS: dict[str, Callable[[], dict[str, bytes]]] = {
    "canvas": canvas, "moodle": moodle, "blackboard": blackboard, "brightspace": brightspace, "sakai": sakai,
    "ilias": ilias, "nbgrader": nbgrader, "gradescope": gradescope, "github": github, "drive": drive, "plain": plain,
}  # fmt: skip
ALL_ATTEMPTS = {"blackboard", "brightspace", "gradescope"}
NAMES_ALONE = {"moodle", "brightspace", "drive"}
"""Where only a name, or a number of the platform's own, tells whose a hand-in is."""
MEMBERS_APART = {"sakai", "nbgrader"}
"""Where a team's work lies with the one who handed it in."""


def matched(form: str, folder: Path, *, as_zip: bool) -> tuple[Matched, tuple[str, ...]]:
    source = folder / ("hw-5-submissions" if form == "github" else "export")
    files = FORMS[form]()
    if as_zip:
        source = source.with_suffix(".zip")
        source.write_bytes(zip_of(files))
    else:
        for name, data in files.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    roster = folder / "roster.csv"
    rows = (f'"{one.name}",{one.login},{one.number},{one.group}\n' for one in CLASS)
    roster.write_text("name,username,id,group\n" + "".join(rows), encoding="utf-8")
    found = detect(source)
    assert found.layout == form
    entries = distinct(entries_in(source, found))
    return match(entries, read_roster(roster)), ignored_in(found, entries)


def source_of(entry: Entry) -> str:
    return read(entry).modules[0].source


@pytest.mark.parametrize("as_zip", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_nobody_is_lost(form: str, as_zip: bool, tmp_path: Path) -> None:
    found, ignored = matched(form, tmp_path, as_zip=as_zip)
    assert ignored == ()
    assert found.unknown == ()
    chosen = {entry.key: entry for entry in choose(found.entries, "latest")}
    assert not any(entry.problem for entry in chosen.values())
    apart = form in MEMBERS_APART
    assert {one.name for one in found.missing} == {ABSENT.name, *(["Omar Haddad"] if apart else [])}
    by_person = {member: entry for entry in chosen.values() for member in (entry.members or (entry.name,))}
    for who in CLASS:
        if who is ABSENT or (apart and who.name == "Omar Haddad"):
            continue
        if who is RAR:
            with pytest.raises(UnreadableError, match="kind of archive"):
                read(by_person[who.name])
        elif who.name == "Wei Zhang":
            continue
        else:
            owner = next(one for one in CLASS if one.group == who.group) if who.group else who
            assert source_of(by_person[who.name]) == NEW.format(owner.number)


@pytest.mark.parametrize("form", FORMS)
def test_namesakes_are_two(form: str, tmp_path: Path) -> None:
    found, _ = matched(form, tmp_path, as_zip=False)
    both = [entry for entry in choose(found.entries, "latest") if entry.name == "Wei Zhang"]
    assert sorted(map(source_of, both)) == [NEW.format(101004), NEW.format(101005)]
    assert len({entry.key for entry in both}) == 2
    assert len(found.ambiguous) == (2 if form in NAMES_ALONE else 0), "where a name alone tells, it is said"
    if form not in NAMES_ALONE:
        assert all(str(known) in source_of(entry) for entry in both for known in entry.ids if known.startswith("1010"))


@pytest.mark.parametrize("form", sorted(ALL_ATTEMPTS))
def test_every_attempt_and_its_time_are_known(form: str, tmp_path: Path) -> None:
    found, _ = matched(form, tmp_path, as_zip=True)
    both = [entry for entry in found.entries if entry.name == TWICE.name]
    assert sorted(source_of(entry) for entry in both) == sorted([OLD, NEW.format(TWICE.number)])
    assert all(entry.submitted_at for entry in found.entries)
