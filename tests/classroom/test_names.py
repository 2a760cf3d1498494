"""People in the ways that platforms, archives and spreadsheets of many countries write them."""

from __future__ import annotations

import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.moment import moment
from grader.classroom.names import forms, listed, shared_word
from grader.classroom.roster import match, read_roster
from tests.classroom.exports import collect

from .conftest import RIGHT, write

CODE = "def softmax(x):\n    return x\n"


def packed(path: Path, names: list[str], encoding: str) -> Path:
    """A zip whose names are in ``encoding`` and that does not say so, as many programs write it."""

    class Member(zipfile.ZipInfo):
        def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile asks this for the name's bytes
            return self.filename.encode(encoding), self.flag_bits & ~0x800

    with zipfile.ZipFile(path, "w") as out:
        for name in names:
            out.writestr(Member(name), CODE)
    return path


def roster(folder: Path, text: str) -> Path:
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "cp437", "cp850", "cp1252"])
def test_names_in_an_archive_are_read_whatever_packed_it(tmp_path: Path, encoding: str) -> None:
    people = {"José Núñez", "Jürgen Müller", "Seán O'Brien", "Zoë Çelik", "Ángel Öz"}
    people -= {"Ángel Öz"} if encoding == "cp437" else set()  # no such letter there
    source = packed(tmp_path / "drive.zip", [f"{name} - hw.py" for name in people], encoding)
    assert {entry.name for entry in collect(source)[1]} == people


@pytest.mark.parametrize("as_zip", [True, False])
def test_letters_and_accents_apart_are_one_name_with_those_together(tmp_path: Path, as_zip: bool) -> None:
    apart = [unicodedata.normalize("NFD", name) for name in ("José Núñez - hw.py", "Zoë Ångström - hw.py")]
    if as_zip:
        source = packed(tmp_path / "mac.zip", apart, "utf-8")
    else:
        source = write(tmp_path / "class", dict.fromkeys(apart, CODE))
    entries = collect(source)[1]
    assert [(entry.key, entry.name) for entry in entries] == [
        ("josé-núñez", "José Núñez"),
        ("zoë-ångström", "Zoë Ångström"),
    ]
    assert entries[0].files[0].read(99).decode() == CODE


def test_canvas_runs_names_of_several_parts_together(tmp_path: Path) -> None:
    files = {"muñozlópezmaría_71_1_hw.py": CODE, "vandermeerjan_72_2_hw.py": CODE, "obriensean_73_3_hw.py": CODE}
    people = 'name,email\nMaría Muñoz López,m@x\nJan van der Meer,j@x\n"O\'Brien, Seán",s@x\n'
    found = match(collect(write(tmp_path / "hw", files))[1], read_roster(roster(tmp_path, people)))
    assert [entry.name for entry in found.entries] == ["María Muñoz López", "O'Brien, Seán", "Jan van der Meer"]
    assert "lopezmariamunoz" in forms("María Muñoz López")


def test_who_left_the_course_is_not_taken_for_a_namesake_on_the_roster(tmp_path: Path) -> None:
    files = {"zhangwei_704_1_hw.py": CODE, "zhangwei_705_2_hw.py": RIGHT, "leeann_701_3_hw.py": CODE}
    sheet = roster(tmp_path, 'Student,ID,Section\n"Zhang, Wei",705,1\n"Lee, Ann",701,1\n')
    found = match(collect(write(tmp_path / "hw", files))[1], read_roster(sheet))
    assert sorted((entry.name, entry.ids) for entry in found.entries) == [
        ("Lee, Ann", ("701",)),
        ("Zhang, Wei", ("705",)),
        ("zhangwei", ("704",)),
    ]
    assert (found.unknown, found.missing) == (("zhangwei",), ())


def test_numbers_of_another_list_do_not_speak_against_a_name(tmp_path: Path) -> None:
    files = {"zhangwei_704_1_hw.py": CODE, "leeann_701_3_hw.py": CODE}
    sheet = roster(tmp_path, "name,student id\nWei Zhang,33001\nAnn Lee,33002\n")
    found = match(collect(write(tmp_path / "hw", files))[1], read_roster(sheet))
    assert sorted(entry.name for entry in found.entries) == ["Ann Lee", "Wei Zhang"]


def test_rows_of_canvas_itself_are_nobody(grader: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path / "hw", {"zhangwei_704_1_hw.py": RIGHT, "leeann_701_3_hw.py": RIGHT})
    Path("gradebook.csv").write_text(
        "Student,ID,SIS Login ID,Section,HW (1)\n,,,,Manual Posting\n    Points Possible,,,,20\n"
        '"Zhang, Wei",704,w,1,\n"Zhang, Wei",705,w2,1,\n"Lee, Ann",701,a,1,\n"No, Body",706,n,1,\n'
        '"Student, Test",799,x,1,\n',
        encoding="utf-8",
    )
    ran = grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "gradebook.csv")
    assert "nothing was handed in by Zhang, Wei (705); No, Body\n" in ran.out


def test_a_worksheet_of_moodle_in_german_is_a_roster(tmp_path: Path) -> None:
    files = {f"{name}_{n}_assignsubmission_file/hw.py": CODE for n, name in ((701, "Ann Öz"), (702, "Teilnehmer in"))}
    sheet = roster(
        tmp_path,
        "ID;Vollständiger Name;E-Mail-Adresse;Zuletzt geändert (Abgabe)\n"
        "Teilnehmer/in701;Ann Öz;ann@x.edu;Freitag, 2. Oktober 2026, 21:00\n"
        "Teilnehmer/in702;Bo Li;bo@x.edu;Donnerstag, 31. Dezember 2026, 00:00\nTeilnehmer/in703;Ned;n@x.edu;-\n",
    )
    found = match(collect(write(tmp_path / "hw", files))[1], read_roster(sheet))
    assert [(entry.name, entry.submitted_at) for entry in found.entries] == [
        ("Ann Öz", "Freitag, 2. Oktober 2026, 21:00"),
        ("Bo Li", "Donnerstag, 31. Dezember 2026, 00:00"),
    ]
    assert [student.name for student in found.missing] == ["Ned"]


@pytest.mark.parametrize(
    ("text", "month", "day"),
    [
        ("Friday, 4 September 2026, 9:00 PM", 9, 4), ("Dienstag, 3. März 2026, 21:00", 3, 3),
        ("mardi 3 mars 2026, 21:00", 3, 3), ("samedi 1 août 2026, 21:00", 8, 1), ("lundi 1 juin 2026, 21:00", 6, 1),
        ("mercredi 1 juillet 2026, 21:00", 7, 1), ("viernes, 4 de diciembre de 2026, 21:00", 12, 4),
        ("domingo, 4 de enero de 2026, 21:00", 1, 4), ("5 de fevereiro de 2026, 21:00", 2, 5),
        ("giovedì, 1 ottobre 2026, 21:00", 10, 1), ("donderdag 5 maart 2026, 21:00", 3, 5),
        ("May 3, 2026 9:00 pm", 5, 3),
        ("Freitag, 1. Mai 2026, 21:00", 5, 1),
    ],
)  # fmt: skip
def test_months_are_read_in_the_languages_of_platforms(text: str, month: int, day: int) -> None:
    found = moment(text)
    assert found is not None
    assert (found.year, found.month, found.day, found.hour) == (2026, month, day, 21)


def test_a_day_in_no_known_language_is_not_guessed() -> None:
    assert moment("4 xyz 2026, 21:00") is None


def test_names_in_one_line_and_words_before_numbers() -> None:
    assert listed(["Ann", "Bo"]) == "Ann, Bo"
    assert listed(["Zhang, Wei", "Bo"]) == "Zhang, Wei; Bo"
    assert shared_word(["Participant 7", "Participant 12", ""]) == "Participant "
    assert shared_word(["s1234", "s1235"]) == ""
    assert shared_word(["Participant 7", "Teilnehmer 7"]) == ""


def test_groups_of_canvas_are_told_by_names_run_together_and_their_members_by_name(
    grader: Callable[..., Any], tmp_path: Path
) -> None:
    files = {"projectgroup1_4001_88001_hw.py": RIGHT, "teammüller_LATE_4002_88002_hw.py": RIGHT}
    write(tmp_path / "hw", {**files, "annsolo_73_88003_hw.py": RIGHT})
    sheet = (
        'Student,ID,Section,Group Name,HW (9)\n    Points Possible,,,,20\n"Lee, Ann",71,1,Project Group 1,\n'
        '"Ma, Bo",72,1,Project Group 1,\n"Solo, Ann",73,1,,\n"Oz, Cy",74,1,Team Müller,\n"Öz, Di",75,1,Team Müller,\n'
    )
    Path("sheet.csv").write_text(sheet, encoding="utf-8")
    Path("policy.yaml").write_text(
        "due: 2026-09-05T00:00:00+02:00\nper_day: 10\nstudents:\n  Bo Ma: {excused: true}\n  Ann Lee: {excused: true}\n"
        '  "Di Öz": {tokens: 0}\n  Solo Ann: {tokens: 2}\n',
        encoding="utf-8",
    )
    ran = grader("grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "sheet.csv", "--policy", "policy.yaml")
    assert "policy" not in ran.out
    assert "nothing was handed in" not in ran.out
    assert grader("override", "r", "Di Öz", "softmax", "3", "--reason", "seen").code == 0
    ran = grader("export", "r", "--to", "canvas", "--title", "HW", "--sheet", "sheet.csv")
    assert ran.err == ""
    assert [line.rpartition(",")[2] for line in ran.out.splitlines()[2:]] == ["EX", "EX", "20.00", "14.00", "14.00"]


def test_who_is_on_the_roster_twice_is_one_person_and_namesakes_without_ids_are_two(tmp_path: Path) -> None:
    files = {"annlee_701_88001_hw.py": CODE, "boli_702_88002_hw.py": CODE}
    people = "name,id,section,group\nAnn Lee,701,A,\nAnn Lee,701,B,\nBo Li,702,A,\n"
    found = match(collect(write(tmp_path / "hw", files))[1], read_roster(roster(tmp_path, people)))
    assert [(entry.key, entry.name) for entry in found.entries] == [("ann-lee", "Ann Lee"), ("bo-li", "Bo Li")]
    assert (found.missing, found.ambiguous) == ((), ())
    two = read_roster(roster(tmp_path, "name\nWei Zhang\nWei Zhang\n"))
    assert [student.key for student in two] == ["wei-zhang", "wei-zhang-2"]
