"""From each platform's export to the gradebook it takes back, with names as they come."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import batch, decisions, feedback, gradebook
from grader.classroom.attempts import choose
from grader.classroom.entry import Entry
from grader.classroom.executors import Workforce
from grader.classroom.policy import Policy
from grader.classroom.results import Results, open_results
from grader.classroom.roster import Matched, match, read_roster
from grader.classroom.row import GradebookRow
from grader.classroom.row import rows as gradebook_rows
from grader.errors import GraderError
from grader.model.report import Settings
from tests.classroom.exports import collect

from .conftest import BROKEN, NO_SCALE, RIGHT, write

Book = tuple[GradebookRow, ...]


@pytest.fixture(scope="module")
def worth(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What NO_SCALE earns, as a gradebook shows it."""
    folder = open_results(tmp_path_factory.mktemp("one") / "r")
    force = Workforce(_inline(), 1, lambda pool, call, *rest: pool.submit(call, *rest), lambda _: None)
    found = write(tmp_path_factory.mktemp("class"), {"a.py": NO_SCALE, "b.py": RIGHT})
    list(batch.run(collect(found)[1], settings, folder, force))
    return {row.key: row.points for row in gradebook_rows(folder, Policy())}["a"]


def _inline() -> Any:
    from .conftest import Inline

    return Inline


def graded(
    source: Path,
    settings: Settings,
    inline: Workforce,
    *,
    layout: str = "",
    roster: Path | None = None,
    attempt: str = "latest",
) -> tuple[Results, Book, Matched]:
    entries: Sequence[Entry]
    found, entries = collect(source)
    assert found == layout
    matched = match(entries, read_roster(roster) if roster else ())
    entries = matched.entries if roster else entries
    folder = open_results(source.parent / "results")
    list(batch.run(choose(entries, attempt), settings, folder, inline, attempt=attempt))
    return folder, gradebook_rows(folder, Policy()), matched


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def by(text: str, column: str) -> dict[str, dict[str, str]]:
    return {line[column]: line for line in lines(text)}


ATTENTION = RIGHT[RIGHT.index("def self_attention") :]
CANVAS = {
    "obriensmithmaryann_LATE_12345_98765_hw1.py": NO_SCALE,
    "josé_12346_98770_attention.py": "from softmaxes import softmax\nimport numpy as np\n" + ATTENTION,
    "josé_12346_98771_softmaxes-1.py": RIGHT.removesuffix(ATTENTION),
    "zoë_777_98772_hw1.py": BROKEN,
    "zoë_777_98799_hw1-1.py": RIGHT,
    "anon_aB3xY_98766_hw1.py": RIGHT,
    "blank_778_text.html": "<p>I could not upload</p>",
}
CANVAS_SHEET = """\
Student,ID,SIS User ID,SIS Login ID,Section,HW1 Attention (4711),Final Score
    Points Possible,,,,,20.00,(read only)
"O'Brien-Smith, Mary Ann",12345,,mobrien,XC 101,,=1+1
"José, ",12346,,jose,XC 101,,
"Zoë",777,,zoe,XC 101,3.00,
"Blank, Bo",778,,blank,XC 101,,
"Nobody, Ned",779,,ned,XC 101,,
"""


def test_canvas_goes_back_into_its_own_sheet(tmp_path: Path, settings: Settings, inline: Workforce, worth: str) -> None:
    _, book, _ = graded(write(tmp_path / "export", CANVAS), settings, inline, layout="canvas")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(CANVAS_SHEET, encoding="utf-8-sig")
    text, remarks = gradebook.export("canvas", book, title="HW1 Attention", sheet=sheet)
    rows = by(text, "ID")
    assert {key: row["HW1 Attention (4711)"] for key, row in rows.items()} == {
        "": "20.00",
        "12345": worth,
        "12346": "20.00",
        "777": "20.00",
        "778": "0.00",
        "779": "",
    }
    assert rows["12345"]["Student"] == "O'Brien-Smith, Mary Ann"
    assert rows["12345"]["Final Score"] == "=1+1", "other columns are as they were"
    assert remarks == ("Nobody, Ned: no result; the row is left as it is", "anonymous aB3xY: no row in the sheet")
    with pytest.raises(GraderError, match="has no column for 'HW2'"):
        gradebook.export("canvas", book, title="HW2", sheet=sheet)


def test_canvas_feedback_carries_the_numbers_that_canvas_looks_for(
    tmp_path: Path, settings: Settings, inline: Workforce
) -> None:
    folder, book, _ = graded(write(tmp_path / "export", CANVAS), settings, inline, layout="canvas")
    found = dict(feedback.files(folder, book, settings.assignment, settings.rubric, {"josé-12346": "Well done."}))
    assert sorted(found) == [
        "anon_aB3xY_98766_feedback.md",
        "blank-778.md",
        "josé_12346_98771_feedback.md",
        "obriensmithmaryann_LATE_12345_98765_feedback.md",
        "zoë_777_98799_feedback.md",
    ]
    assert "Well done." in found["josé_12346_98771_feedback.md"]
    assert "not divided by √d" in found["obriensmithmaryann_LATE_12345_98765_feedback.md"]
    hidden = settings.rubric.criteria[-1].title
    assert not any(hidden in text for text in found.values()), "hidden criteria stay hidden"
    assert "**Score: 0 of 20 points**" in found["blank-778.md"]


def test_feedback_has_the_points_that_a_person_gave_in_its_table_too(
    tmp_path: Path, settings: Settings, inline: Workforce
) -> None:
    folder, _, _ = graded(
        write(tmp_path / "export", {"ann.py": NO_SCALE, "bob.py": RIGHT}), settings, inline, layout="plain"
    )
    criterion = settings.rubric.criteria[0]
    decisions.decide(folder, "ann", criterion.id, Decimal(3), "talked about it")
    found = dict(feedback.files(folder, gradebook_rows(folder, Policy()), settings.assignment, settings.rubric, {}))
    assert f"| 3 / {criterion.points} |" in found["ann.md"]
    assert f"| 3 / {criterion.points} |" not in found["bob.md"]


def test_a_sheet_that_counts_to_another_maximum_is_remarked_on(
    tmp_path: Path, settings: Settings, inline: Workforce
) -> None:
    _, book, _ = graded(write(tmp_path / "export", CANVAS), settings, inline, layout="canvas")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(CANVAS_SHEET.replace("20.00,(read", "10.00,(read"), encoding="utf-8")
    _, remarks = gradebook.export("canvas", book, title="HW1 Attention", sheet=sheet)
    assert remarks[-1] == "the sheet counts to 10 points and the results to 20: mend one of them"


MOODLE = {
    "Mary Ann O'Brien_657737_assignsubmission_file_/hw1.py": NO_SCALE,
    "Jean-Luc Müller_657738_assignsubmission_file/src/hw1.py": RIGHT,
    "Team 7_657739_assignsubmission_file_/attention.py": RIGHT,
    "Team 7_657739_assignsubmission_onlinetext/onlinetext.html": "<p>ours</p>",
}
MOODLE_SHEET = """\
Identifier;Full name;Email address;Status;Grade;Maximum Grade;Last modified (grade);Feedback comments
Participant 657737;Mary Ann O'Brien;m@example.edu;Submitted;;20.00;-;
Participant 657738;Jean-Luc Müller;j@example.edu;Submitted;;20.00;-;<p>old</p>
Participant 657739;Team 7;t@example.edu;Submitted;;20.00;-;
Participant 657740;Ned Nobody;n@example.edu;No submission;;20.00;-;
"""


def test_moodle_goes_back_into_its_worksheet_and_its_folders(
    tmp_path: Path, settings: Settings, inline: Workforce, worth: str
) -> None:
    source = write(tmp_path / "HW1", MOODLE)
    archive = tmp_path / "HW1.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in source.rglob("*.*"):
            out.write(path, path.relative_to(source).as_posix())
    folder, book, _ = graded(archive, settings, inline, layout="moodle")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(MOODLE_SHEET, encoding="utf-8")
    text, remarks = gradebook.export("moodle", book, title="", sheet=sheet)
    rows = {row["Full name"]: row for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=";")}
    assert {name: row["Grade"] for name, row in rows.items()} == {
        "Mary Ann O'Brien": worth,
        "Jean-Luc Müller": "20.00",
        "Team 7": "20.00",
        "Ned Nobody": "",
    }
    assert rows["Jean-Luc Müller"]["Feedback comments"] == "<p>old</p>"
    assert remarks == ("Ned Nobody: no result; the row is left as it is",)
    target = tmp_path / "feedback.zip"
    made = feedback.files(folder, book, settings.assignment, settings.rubric, {})
    assert feedback.write(target, made) == 3
    with zipfile.ZipFile(target) as back:
        assert sorted(back.namelist()) == [
            "Jean-Luc Müller_657738_assignsubmission_file/feedback.md",
            "Mary Ann O'Brien_657737_assignsubmission_file_/feedback.md",
            "Team 7_657739_assignsubmission_file_/feedback.md",
        ]
    with pytest.raises(GraderError, match="needs Moodle's own sheet of grades"):
        gradebook.export("moodle", book, title="")


GRADESCOPE = """\
submission_101:
  :submitters:
  - :name: Zoë Ångström
    :sid: '100'
    :email: zoe@example.edu
  :created_at: 2026-09-10 02:00:00 Z
submission_102:
  :submitters:
  - :name: First O'Partner
    :email: first@example.edu
  - :name: Second Partner-Smith
    :sid: '103'
  :created_at: 2026-09-11 02:00:00 Z
"""


def test_gradescope_gives_every_member_of_a_group_the_score(
    tmp_path: Path, settings: Settings, inline: Workforce, worth: str
) -> None:
    files = {"submission_metadata.yml": GRADESCOPE, "submission_101/hw.py": RIGHT, "submission_102/hw.py": NO_SCALE}
    _, book, _ = graded(write(tmp_path / "assignment_9100_export", files), settings, inline, layout="gradescope")
    text, _ = gradebook.export("gradescope", book, title="")
    assert [
        (row["First Name"], row["Last Name"], row["SID"], row["Total Score"], row["Submission ID"])
        for row in lines(text)
    ] == [
        ("Zoë", "Ångström", "100", "20.00", "101"),
        ("First", "O'Partner", "", worth, "102"),
        ("Second", "Partner-Smith", "103", worth, "102"),
    ]
    assert [row["Email"] for row in lines(text)] == ["zoe@example.edu", "first@example.edu", ""]
    late = Policy.model_validate({"due": "2026-09-09T00:00:00+00:00", "per_day": 10})
    folder = Results(tmp_path / "results")
    assert next(row.points for row in gradebook_rows(folder, late)) == "16.00", "two days are begun"


def test_classroom50_takes_whole_numbers_by_user_name(
    tmp_path: Path, settings: Settings, inline: Workforce, worth: str
) -> None:
    files = {"nlp-hw1-mary-ann/hw.py": NO_SCALE, "nlp-hw1-zed/hw.py": RIGHT, "scores.csv": "a,b\n"}
    source = write(tmp_path / "nlp-hw1_submissions_2026-09-01T14-32-05Z", files)
    roster = tmp_path / "roster.csv"
    roster.write_text("name,github_username,id\nMary Ann O'Brien,mary-ann,7\nZed,zed,8\nNed,ned,9\n")
    _, book, matched = graded(source, settings, inline, layout="classroom50", roster=roster)
    text, said = gradebook.export("classroom50", book, title="hw1")
    assert by(text, "username")["zed"] == {"username": "zed", "assignment": "hw1", "score": "20", "max-score": "20"}
    assert by(text, "username")["mary-ann"]["score"] == str(round(float(worth)))
    assert [student.name for student in matched.missing] == ["Ned"]
    assert all("whole numbers only" in remark for remark in said)


def test_github_names_are_matched_against_the_roster(
    tmp_path: Path, settings: Settings, inline: Workforce, worth: str
) -> None:
    files = {"hw-1-mary-ann/hw.py": NO_SCALE, "hw-1-mary-lou/hw.py": RIGHT, "hw-1-stranger/hw.py": RIGHT}
    roster = tmp_path / "roster.csv"
    roster.write_text("last name;first name;github\nO’Brien;Mary Ann;mary-ann\nD'Arcy-Østby;Mary Lou;MARY-LOU\n")
    _, book, matched = graded(
        write(tmp_path / "hw-1-submissions", files), settings, inline, layout="github", roster=roster
    )
    text, _ = gradebook.export("csv", book, title="")
    assert {key: row["score"] for key, row in by(text, "name").items()} == {
        "Mary Ann O’Brien": worth,
        "Mary Lou D'Arcy-Østby": "20.00",
        "stranger": "20.00",
    }
    assert matched.unknown == ("stranger",)


def test_drive_files_become_rows_to_read_from(
    tmp_path: Path, settings: Settings, inline: Workforce, worth: str
) -> None:
    files = {"Ana María - hw1.py": NO_SCALE, "Bo Li - hw1.py": RIGHT}
    roster = tmp_path / "roster.csv"
    roster.write_text('name,email\n"María, Ana",ana@x.edu\nBo Li,bo@x.edu\nBo Li,bo2@x.edu\n')
    _, book, matched = graded(write(tmp_path / "Drive", files), settings, inline, layout="drive", roster=roster)
    text, said = gradebook.export("google", book, title="")
    assert by(text, "Email")["ana@x.edu"]["assignedGrade"] == worth
    assert by(text, "Name")["Bo Li"]["Email"] == "", "two are called so: nobody is guessed"
    assert matched.ambiguous == ("Bo Li: could be Bo Li (bo@x.edu), Bo Li (bo2@x.edu); graded under its own name",)
    assert said == ("Google Classroom imports no CSV: enter the grades by hand or by its API.",)


@pytest.mark.parametrize(("attempt", "expected"), [("latest", [("ann", "20.00")]), ("best", [("ann", "20.00")])])
def test_several_attempts_count_as_asked(
    tmp_path: Path, settings: Settings, inline: Workforce, attempt: str, expected: list[tuple[str, str]]
) -> None:
    files = {"submission_1/hw.py": NO_SCALE, "submission_2/hw.py": RIGHT, "submission_metadata.yml": "\n".join(
        f"submission_{n}:\n  :submitters:\n  - :name: Ann\n    :email: a@x.edu\n  :created_at: 2026-09-0{n} 02:00:00 Z"
        for n in (1, 2)
    )}  # fmt: skip
    roster = tmp_path / "roster.csv"
    roster.write_text("name,email\nAnn,a@x.edu\n")
    source = write(tmp_path / "assignment_1_export", files)
    _, book, _ = graded(source, settings, inline, layout="gradescope", roster=roster, attempt=attempt)
    assert [(row.key, row.points) for row in book] == expected
    _, every, _ = graded(source, settings, inline, layout="gradescope", roster=roster, attempt="all")
    assert [row.key for row in every] == ["ann", "ann.2"]


def test_jsonl_and_csv_are_whole_and_safe_in_a_spreadsheet(
    tmp_path: Path, settings: Settings, inline: Workforce
) -> None:
    _, book, _ = graded(
        write(tmp_path / "class", {"ann/hw.py": RIGHT, "=cmd()/hw.py": RIGHT}), settings, inline, layout="plain"
    )
    excused = Policy.model_validate({"students": {"ann": {"excused": True}}})
    folder = Results(tmp_path / "results")
    found = [
        json.loads(line)
        for line in gradebook.export("jsonl", gradebook_rows(folder, excused), title="")[0].splitlines()
    ]
    assert {row["key"]: (row["score"], row["excused"]) for row in found} == {"ann": (None, True), "cmd": (20.0, False)}
    text, _ = gradebook.export("csv", book, title="")
    assert by(text, "key")["cmd"]["name"] == "'=cmd()"
    assert gradebook.safe_cell("-1.5") == "-1.5"
    assert gradebook.safe_cell("\t=1") == "'\t=1"
    hidden = [*range(9), *range(0x7F, 0x85), *range(0x86, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xD800]
    assert {gradebook.safe_cell(f"a{chr(code)}b") for code in hidden} == {"ab"}


def _names(found: Iterator[tuple[str, str]]) -> list[str]:
    return [name for name, _ in found]


def test_feedback_never_leaves_its_folder(tmp_path: Path, settings: Settings, inline: Workforce) -> None:
    folder, book, _ = graded(
        write(tmp_path / "class", {"ann/hw.py": RIGHT, "bob/hw.py": RIGHT}), settings, inline, layout="plain"
    )
    import dataclasses

    climbing = tuple(dataclasses.replace(row, feedback="../../evil.md") for row in book)
    assert _names(feedback.files(folder, climbing, settings.assignment, settings.rubric, {})) == ["ann.md", "bob.md"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫", "−", "|", "%"])
@pytest.mark.parametrize(
    "before",
    ["", " ", "\t", "\r", "\n", "\r\n", "x\n", " \n\t", "\u00a0", "\u3000", "\ufeff", "\u200b", "\x00", "a\u2028"],
)
def test_no_cell_begins_as_a_formula_however_the_sign_is_hidden(sign: str, before: str) -> None:
    cell = gradebook.safe_cell(f"{before}{sign}1+1|A0")
    for line in cell.splitlines() or [""]:
        assert not line.strip() or line.startswith("'") or line in {"x", "a"}
    assert gradebook.safe_cell(cell) == cell, "it is not quoted twice"


@pytest.mark.parametrize("first", ["\t", "\r", "\n"])
def test_a_cell_that_begins_with_a_tab_or_a_line_end_is_quoted_whatever_follows(first: str) -> None:
    assert gradebook.safe_cell(f"{first}Ann") == f"'{first}Ann"


@pytest.mark.parametrize("number", ["-1.5", "+3", "0", "12.00", "-0.25", "100"])
def test_numbers_stay_numbers(number: str) -> None:
    assert gradebook.safe_cell(number) == number


@pytest.mark.parametrize(
    "name", ["O'Brien-Smith, Mary Ann", "Zoë – Łukasz", "a=b", "x@y.edu", "100 % of 20", "", "two\nlines"]
)
def test_what_people_are_called_stays_as_it_is(name: str) -> None:
    assert gradebook.safe_cell(name) == name


@pytest.mark.parametrize("text", ["-1.5e3", "-1-1", "- 1", "+49 170", "٣", "−1"])
def test_what_only_looks_like_a_number_is_no_number(text: str) -> None:
    assert gradebook.safe_cell(text) == (text if text == "٣" else f"'{text}")
