"""The instructor's own sheet: every grade in the row that it belongs to, every other cell as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.classroom.gradebook import export
from grader.classroom.policy import Final
from grader.classroom.row import GradebookRow
from grader.errors import GraderError
from tests.growth import SQUARE, growth

CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,HW1 (4711),Total\n"
MOODLE = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"


def row(
    key: str, points: str | None, *ids: str, name: str = "", steps: tuple[str, ...] = (), comment: str = ""
) -> GradebookRow:
    score = Final(None if points is None else Decimal(points), Decimal(20), steps, excused=points is None)
    return GradebookRow(key, name or key, ids, (), score, "passed", "strict", "", key, comment=comment)


def grades(
    folder: Path, to: str, sheet: str, book: Sequence[GradebookRow], column: str, title: str = "HW1", key: int = 0
) -> tuple[dict[str, str], tuple[str, ...]]:
    """What the sheet says by its column ``key`` after it was filled, and the remarks."""
    path = folder / "sheet.csv"
    path.write_text(sheet, encoding="utf-8")
    text, remarks = export(to, book, title=title, sheet=path)
    table = list(csv.reader(io.StringIO(text, newline=""), delimiter=";" if sheet.startswith("ID;") else ","))
    at = table[0].index(column)
    return {line[key]: line[at] for line in table[1:]}, remarks


def test_a_namesake_who_handed_in_nothing_gets_no_grade(tmp_path: Path) -> None:
    sheet = CANVAS + '"Zhang, Wei",704,S4,wz,1,,\n"Zhang, Wei",705,S5,wz2,2,,\n'
    found, remarks = grades(tmp_path, "canvas", sheet, [row("a", "7", "704", name="Wei Zhang")], "HW1 (4711)", key=1)
    assert found == {"704": "7.00", "705": ""}
    assert remarks == ("Zhang, Wei (705): no result; the row is left as it is",)


def test_who_left_the_course_does_not_leave_the_grade_to_a_namesake(tmp_path: Path) -> None:
    sheet = CANVAS + '"Zhang, Wei",705,S5,wz2,2,,\n"Lee, Ann",701,S1,al,2,,\n'
    book = [row("a", "7", "704", name="Wei Zhang"), row("b", "8", "701", name="Ann Lee")]
    found, remarks = grades(tmp_path, "canvas", sheet, book, "HW1 (4711)", key=1)
    assert found == {"705": "", "701": "8.00"}
    assert remarks == ("Zhang, Wei: no result; the row is left as it is", "Wei Zhang: no row in the sheet")


def test_a_name_in_another_order_and_without_accents_tells_where_no_ids_do(tmp_path: Path) -> None:
    sheet = (
        CANVAS
        + '"Núñez, Jose\u0301",701,,jn,1,,\n"O’Brien, Sean",702,,so,1,,\n"Li, Bo",703,,b,1,,\n"Li, Bo",704,,c,1,,\n'
    )
    book = [row("a", "7", "jose@x", name="José Nuñez"), row("b", "8", name="Seán O'Brien"), row("c", "9", name="Bo Li")]
    found, remarks = grades(tmp_path, "canvas", sheet, book, "HW1 (4711)", key=1)
    assert found == {"701": "7.00", "702": "8.00", "703": "", "704": ""}
    assert remarks == (
        "Li, Bo (703): no result; the row is left as it is",
        "Li, Bo (704): no result; the row is left as it is",
        "Bo Li: no row in the sheet",
    )


def test_a_name_among_ids_is_remarked_on_and_numbers_of_another_kind_of_list_do_not_speak_against_it(
    tmp_path: Path,
) -> None:
    sheet = CANVAS + '"A, Ann",701,,ann,1,,\n"B, Bob",702,,bob,1,,\n"C, Cyd",703,,cy,1,,\n'
    book = [row("ann", "1", "ann", "9001", name="Ann A"), row("bob", "2", "bob", "9002", name="Bob B"),
            row("cyd", "3", "9003", name="Cyd C")]  # fmt: skip
    found, remarks = grades(tmp_path, "canvas", sheet, book, "HW1 (4711)", key=1)
    assert found == {"701": "1.00", "702": "2.00", "703": "3.00"}
    assert remarks == ("C, Cyd: told by the name alone",)


def test_rows_of_the_platform_itself_are_left_and_not_remarked_on(tmp_path: Path) -> None:
    own = ',,,,,Manual Posting,(read only)\n"    Points Possible",,,,,20,(read only)\n'
    sheet = CANVAS + own + '"A, Ann",701,,ann,1,3.5,\n"Student, Test",799,,af3,1,,\n'
    path = tmp_path / "sheet.csv"
    path.write_text(sheet, encoding="utf-8")
    text, remarks = export("canvas", [row("ann", "18.5", "701")], title="HW1", sheet=path)
    assert remarks == ()
    assert text == (
        CANVAS + ',,,,,Manual Posting,(read only)\n    Points Possible,,,,,20,(read only)\n"A, Ann",701,,ann,1,18.50,\n'
        '"Student, Test",799,,af3,1,,\n'
    ).replace("\n", "\r\n")


def test_columns_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    heading = "Student,ID,SIS Login ID,Section,HW (1),HW (2),Notes,Notes\n"
    sheet = heading + '"A, Ann",701,ann,1,3,4,x,y\n'
    with pytest.raises(GraderError, match=r"several columns for 'HW'.*'HW \(1\)' or 'HW \(2\)'"):
        grades(tmp_path, "canvas", sheet, [row("ann", "9", "701")], "HW (2)", title="HW")
    path = tmp_path / "sheet.csv"
    text, _ = export("canvas", [row("ann", "9", "701")], title="HW (2)", sheet=path)
    assert text == heading.replace("\n", "\r\n") + '"A, Ann",701,ann,1,3,9.00,x,y\r\n'


def test_an_excuse_is_ex_for_canvas_and_no_grade_for_moodle(tmp_path: Path) -> None:
    book = [row("ann", None, "701", steps=("excused",))]
    assert grades(tmp_path, "canvas", CANVAS + "Ann,701,,a,1,,\n", book, "HW1 (4711)")[0] == {"Ann": "EX"}
    sheet = MOODLE + "Participant 701,Ann,a@x,Submitted,,20.00,-,\n"
    assert grades(tmp_path, "moodle", sheet, book, "Grade", key=1)[0] == {"Ann": ""}


def test_several_attempts_of_one_person_are_named_as_the_reason(tmp_path: Path) -> None:
    book = [row("ann", "1", "701"), row("ann.2", "2", "701")]
    found, remarks = grades(tmp_path, "canvas", CANVAS + "Ann,701,,a,1,,\n", book, "HW1 (4711)")
    assert found == {"Ann": ""}
    assert remarks[0] == (
        "Ann: has several attempts in the results, and the sheet takes one (--attempt latest or best);"
        " the row is left as it is"
    )


GERMAN = (
    "ID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;Zuletzt geändert (Bewertung);"
    "Feedback als Kommentar\n"
    "Teilnehmer/in701;Ann Öz;ann@x.edu;Abgegeben;;20,00;-;\n"
    "Teilnehmer/in702;Bo Li;bo@x.edu;Abgegeben;;20,00;-;\n"
)


@pytest.mark.parametrize(("grade", "title"), [("Bewertung", ""), ("Punkte", "Punkte")])
def test_moodle_in_another_language_is_filled_with_its_own_comma(tmp_path: Path, grade: str, title: str) -> None:
    book = [row("a", "17.25", "701", "Participant 701", steps=("1 day late",)), row("b", "3", "bo@x.edu")]
    sheet = GERMAN.replace(";Bewertung;", f";{grade};")
    found, remarks = grades(tmp_path, "moodle", sheet, book, grade, title=title, key=1)
    assert found == {"Ann Öz": "17,25", "Bo Li": "3,00"}
    assert remarks == ()
    said, _ = grades(tmp_path, "moodle", sheet, book, "Feedback als Kommentar", title=title, key=1)
    assert said == {"Ann Öz": "1 day late", "Bo Li": ""}
    short = [replace(one, score=replace(one.score, maximum=Decimal(10))) for one in book]
    _, remarks = grades(tmp_path, "moodle", sheet, short, grade, title=title)
    assert remarks == ("the sheet counts to 20 points and the results to 10: mend one of them",)


def test_moodle_in_a_language_that_nobody_knows_says_how_to_name_the_column(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match=r"--title\. It has: ID, Vollständiger Name, .*Punkte"):
        grades(tmp_path, "moodle", GERMAN.replace("Bewertung;Best", "Punkte;Best"), [], "Punkte")


def test_what_a_person_wrote_goes_into_the_comments_and_takes_nobodys_away(tmp_path: Path) -> None:
    sheet = MOODLE + (
        "Participant 1,Ann,a@x,Submitted,,20.00,-,\nParticipant 2,Bob,b@x,Submitted,,20.00,-,<p>see me</p>\n"
        "Participant 3,Cyd,c@x,Submitted,,20.00,-,done\nParticipant 4,Dee,d@x,Submitted,,20.00,-,1 day late\n"
        "Participant 5,Eve,e@x,Submitted,,20.00,-,\n"
    )
    book = [
        row("ann", "1", "1", comment="Well argued."), row("bob", "2", "2", steps=("1 day late: a < b",)),
        row("cyd", "3", "3", comment="=good"), row("dee", "4", "4", steps=("1 day late",)),
        row("eve", "5", "5", comment="=1"),
    ]  # fmt: skip
    found, remarks = grades(tmp_path, "moodle", sheet, book, "Feedback comments", key=1)
    assert found == {
        "Ann": "Well argued.", "Bob": "<p>see me</p><p>1 day late: a &lt; b</p>", "Cyd": "done =good",
        "Dee": "1 day late", "Eve": "'=1",
    }  # fmt: skip
    assert remarks == (
        "bob: has a comment in the sheet already; ours stands behind it",
        "cyd: has a comment in the sheet already; ours stands behind it",
    )


def test_without_a_sheet_only_canvas_s_own_number_is_written_as_its_id() -> None:
    canvas = replace(row("ann", "1", "S77", "42", "701"), feedback="ann_701_9_feedback.md")
    other = row("bob", "2", "0042", "b@x.edu")
    text, _ = export("canvas", [canvas, other], title="HW1")
    assert [line["ID"] for line in csv.DictReader(io.StringIO(text, newline=""))] == ["701", ""]


def test_a_sheet_of_thousands_is_filled_in_one_pass(tmp_path: Path) -> None:
    def fill(students: int) -> None:
        half = students // 2
        book = [row(f"s{n}", "3", str(n)) for n in range(students)]
        lines = "".join(f'"Last{n}, First{n}",{n + half},,u{n},1,,\n' for n in range(students))
        found, remarks = grades(tmp_path, "canvas", CANVAS + lines, book, "HW1 (4711)", key=1)
        known = (half, students - 1, students, students + half - 1)
        assert [found[str(n)] for n in known] == ["3.00", "3.00", "", ""]
        assert len(remarks) == 2 * half

    assert growth(fill, 1000) < SQUARE


def test_blackboard_and_brightspace_are_filled_by_their_ids_and_nothing_else_changes(tmp_path: Path) -> None:
    book = (
        row("ann", "18.5", "annl", name="Ann Lee"),
        row("bob", "20", "5002", name="Bob Ray"),
        row("wz1", "7", "wz1", "5003", name="Wei Zhang"),
        row("wz2", "9", "wz2", "5004", name="Wei Zhang"),
        row("gus", "3", "gusg", name="Gus Gone"),
    )
    blackboard = tmp_path / "gc.csv"
    lines = [
        "Last Name\tFirst Name\tUsername\tStudent ID\tHW 4 [Total Pts: 10 Score] |71\tHW 5 [Total Pts: 20 Score] |72",
        "Lee\tAnn\tannl\t5001\t1\t", "Ray\tBob\tbobr\t5002\t2\t", "Zhang\tWei\twz2\t5004\t3\t",
        "No\tOne\tnoo\t5009\t4\t5",
    ]  # fmt: skip
    blackboard.write_bytes("\r\n".join(lines).encode("utf-16"))
    text, said = export("blackboard", book, title="HW 5", sheet=blackboard)
    assert [line.split("\t")[-2:] for line in text.splitlines()[1:]] == [
        ["1", "18.50"], ["2", "20.00"], ["3", "9.00"], ["4", "5"],
    ]  # fmt: skip
    assert said == (
        "One No: no result; the row is left as it is",
        "Wei Zhang: no row in the sheet",
        "Gus Gone: no row in the sheet",
    )
    brightspace = tmp_path / "d2l.csv"
    heading = "HW 5 Points Grade <Numeric MaxPoints:25 Weight:10 Category:HW>"
    brightspace.write_text(
        f"OrgDefinedId,Username,{heading},End-of-Line Indicator\n#5001,#annl,,#\n#5003,#wz1,4,#\n", encoding="utf-8-sig"
    )
    text, said = export("brightspace", book, title="HW 5", sheet=brightspace)
    assert text.splitlines() == [
        f"OrgDefinedId,Username,{heading},End-of-Line Indicator", "#5001,#annl,18.50,#", "#5003,#wz1,7.00,#",
    ]  # fmt: skip
    assert "the sheet counts to 25 points and the results to 20: mend one of them" in said


@pytest.mark.parametrize(("platform", "known"), [("blackboard", "Username"), ("brightspace", "OrgDefinedId")])
def test_a_sheet_of_something_else_or_without_the_title_says_what_it_has(
    tmp_path: Path, platform: str, known: str
) -> None:
    sheet = tmp_path / "s.csv"
    sheet.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(GraderError, match=f"has no column {known}"):
        export(platform, (), title="HW 5", sheet=sheet)
    sheet.write_text(f"{known},HW 4 [Total Pts: 10] |7,HW 4 Points Grade\nx,,\n", encoding="utf-8")
    with pytest.raises(GraderError, match=r"no column for 'HW 5'.*It has: HW 4"):
        export(platform, (), title="HW 5", sheet=sheet)
    with pytest.raises(GraderError, match="own sheet of grades"):
        export(platform, (), title="HW 5")
