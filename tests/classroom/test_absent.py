"""Who is on the roster and handed in nothing: a row in every gradebook, no grade until somebody gives one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import NO_SCALE, RIGHT, write

Grader = Callable[..., Any]

RUBRIC = """\
schema: grader/rubric/v1
id: mine
assignment: attention-numpy
version: "1"
title: Mine
criteria:
  - {id: softmax, title: S, points: 4, credit: all, checks: [softmax.*]}
  - {id: attention, title: A, points: 6, credit: all, checks: [scaled_dot_product_attention.*]}
"""
ROSTER = 'Student,ID,Section\n"Lee, Ann",701,1\n"Zhang, Wei",702,1\n"No, Body",704,1\n"Zzz, Last",705,1\n'
GRADE = ("grade", "hw", "-a", "attention-numpy", "-o", "r", "--rubric", "rubric.yaml", "--isolation", "standard",
         "--jobs", "1")  # fmt: skip
KEYED = {
    "csv": ("key", "score"), "jsonl": ("key", "score"), "canvas": ("Student", "HW"),
    "gradescope": ("Last Name", "Total Score"), "google": ("Name", "draftGrade"), "classroom50": ("username", "score"),
}  # fmt: skip
NAMED = {"csv": "no-body", "jsonl": "no-body", "gradescope": "No", "classroom50": "704"}


@pytest.fixture
def graded(grader: Grader, tmp_path: Path, once: Callable[..., None]) -> None:
    once("absent", tmp_path, lambda: grade(grader, tmp_path))


def grade(grader: Grader, tmp_path: Path) -> None:
    write(tmp_path / "hw", {"leeann_701_1_hw.py": RIGHT, "zhangwei_702_2_hw.py": NO_SCALE})
    write(tmp_path, {"roster.csv": ROSTER, "rubric.yaml": RUBRIC})
    assert grader(*GRADE, "--roster", "roster.csv").code == 0


def book(grader: Grader, to: str, *more: str) -> dict[str, Any]:
    """The score of each row of a gradebook by what tells the row."""
    key, score = KEYED[to]
    ran = grader("export", "r", "--to", to, "--title", "HW", *more)
    assert ran.code == 0, ran.err
    if to == "jsonl":
        return {line["key"]: line for line in map(json.loads, ran.out.splitlines())}
    return {line[key]: line[score] for line in csv.DictReader(io.StringIO(ran.out, newline=""))}


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("to", [name for name in KEYED if name not in {"jsonl", "classroom50"}])
def test_everybody_on_the_roster_has_a_row_and_an_empty_cell_is_no_zero(grader: Grader, to: str) -> None:
    found = book(grader, to)
    assert len(found) == 4
    assert found[NAMED.get(to, "No, Body")] == ""
    assert sorted(found.values()) == ["", "", "10.00", "4.00"]
    Path("policy.yaml").write_text("absent: zero\n", encoding="utf-8")
    assert book(grader, to, "--policy", "policy.yaml")[NAMED.get(to, "No, Body")] == "0.00"


@pytest.mark.usefixtures("graded")
def test_as_data_a_score_that_there_is_not_is_null_and_no_excuse(grader: Grader) -> None:
    found = book(grader, "jsonl")["no-body"]
    assert (found["score"], found["max_score"], found["excused"], found["verdict"], found["steps"]) == (
        None, 10.0, False, "absent", ["nothing was handed in"],
    )  # fmt: skip


@pytest.mark.usefixtures("graded")
def test_gradescope_calls_it_missing_as_it_does_itself(grader: Grader) -> None:
    lines = list(csv.DictReader(io.StringIO(grader("export", "r", "--to", "gradescope").out, newline="")))
    assert {line["SID"]: line["Status"] for line in lines} == {
        "701": "Graded", "702": "Graded", "704": "Missing", "705": "Missing",
    }  # fmt: skip


@pytest.mark.usefixtures("graded")
def test_where_scores_are_whole_numbers_there_is_no_row_without_one(grader: Grader) -> None:
    assert sorted(book(grader, "classroom50").values()) == ["10", "4"]
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    assert sorted(book(grader, "classroom50").values()) == ["10", "4", "6"]


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("sheet", ["canvas", "moodle"])
def test_a_grade_that_stands_in_the_sheet_is_not_taken_away(grader: Grader, sheet: str) -> None:
    text = {
        "canvas": 'Student,ID,Section,HW (1)\n"Lee, Ann",701,1,\n"No, Body",704,1,3.00\n',
        "moodle": "Identifier,Full name,Status,Grade,Maximum Grade\n701,Ann Lee,,,10.00\n704,Body No,,3.00,10.00\n",
    }[sheet]
    Path("sheet.csv").write_text(text, encoding="utf-8")
    ran = grader("export", "r", "--to", sheet, "--title", "HW", "--sheet", "sheet.csv")
    assert "3.00" in ran.out.splitlines()[2]
    assert "no result" not in ran.err
    assert "nothing was handed in, so there is no grade: No, Body; Zzz, Last " in ran.err
    Path("policy.yaml").write_text("absent: zero\n", encoding="utf-8")
    asked = ("export", "r", "--to", sheet, "--title", "HW", "--sheet", "sheet.csv", "--policy", "policy.yaml")
    ran = grader(*asked)
    assert "3.00" in ran.out.splitlines()[2]
    assert "No, Body: handed in nothing and has 3.00 in the sheet, which is left\n" in ran.err
    Path("sheet.csv").write_text(text.replace("3.00", ""), encoding="utf-8")
    assert "0.00" in grader(*asked).out.splitlines()[2]
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    ran = grader("export", "r", "--to", sheet, "--title", "HW", "--sheet", "sheet.csv")
    assert "6.00" in ran.out.splitlines()[2]


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("who", ["no-body", "No, Body", "body no", "704"])
def test_points_by_hand_reach_who_handed_in_nothing(grader: Grader, who: str) -> None:
    ran = grader("override", "r", who, "attention", "5.50", "--reason", "oral exam")
    assert ran.out == "No, Body: attention 0 → 5.5 of 6 points (oral exam).\n"
    ran = grader("override", "r", who, "attention", "6", "--reason", "heard again")
    assert ran.out == "No, Body: attention 5.5 → 6 of 6 points (heard again).\n"
    found = book(grader, "jsonl")["no-body"]
    assert (found["score"], found["steps"]) == (
        6.0,
        ["nothing was handed in", "attention: 6 of 6 points (heard again)"],
    )
    assert grader("override", "r", who, "attention", "7", "--reason", "x").code == 2
    assert "there is no criterion 'atention'" in grader("override", "r", who, "atention", "1", "--reason", "x").err
    ran = grader("override", "r", who, "attention", "--withdraw", "--reason", "a mistake")
    assert ran.out == "No, Body: attention 6 → 0 of 6 points, as graded (a mistake).\n"
    assert book(grader, "jsonl")["no-body"]["score"] is None


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("who", ["No, Body", "Lee, Ann"])
def test_an_excuse_given_by_hand_is_ex_until_it_is_taken_back(grader: Grader, who: str) -> None:
    before = book(grader, "canvas")[who]
    ran = grader("override", "r", who, "--excuse", "--reason", "ill")
    assert ran.out == f"{who}: excused (ill).\n"
    assert book(grader, "canvas")[who] == "EX"
    assert "no grade: No, Body" not in grader("export", "r").err or who == "Lee, Ann"
    assert grader("export", "r", "--feedback", "back").code == 0
    file = Path("back", "no-body.md" if who == "No, Body" else "leeann_701_1_feedback.md")
    assert file.read_text(encoding="utf-8").startswith("**Score: excused**\n\n- excused (ill)\n")
    ran = grader("override", "r", who, "--excuse", "--withdraw", "--reason", "came after all")
    assert ran.out == f"{who}: excused no more (came after all).\n"
    assert book(grader, "canvas")[who] == before
    assert "was not excused here" in grader("override", "r", who, "--excuse", "--withdraw", "--reason", "x").err
    lines = [json.loads(line) for line in Path("r/history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["excused"], line["reason"]) for line in lines] == [(True, "ill"), (False, "came after all")]


@pytest.mark.usefixtures("graded")
def test_an_excuse_needs_its_reason_and_no_criterion(grader: Grader) -> None:
    assert "needs its reason" in grader("override", "r", "704", "--excuse").err
    assert "not from a criterion" in grader("override", "r", "704", "softmax", "--excuse", "--reason", "x").err


@pytest.mark.usefixtures("graded")
def test_who_handed_in_nothing_gets_feedback_where_a_person_has_something_to_say(grader: Grader) -> None:
    grader("override", "r", "704", "--comment", "Please come and see me.")
    assert grader("export", "r", "--feedback", "back").err.startswith("3 feedback files in back.\n")
    text = Path("back/no-body.md").read_text(encoding="utf-8")
    assert text == "**Score: none yet**\n\n- nothing was handed in\n\nPlease come and see me.\n"


@pytest.mark.usefixtures("graded")
def test_points_by_hand_stay_with_the_person_whatever_roster_comes_later(grader: Grader) -> None:
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    more = 'Student,ID,Section\n"No, Body",700,1\n' + ROSTER.split("\n", 1)[1]
    Path("roster.csv").write_text(more, encoding="utf-8")
    assert grader(*GRADE, "--roster", "roster.csv").code == 0
    ids = {tuple(line["ids"]): line["score"] for line in book(grader, "jsonl").values()}
    assert ids[("704",)] == 6.0
    assert ids[("700",)] is None


@pytest.mark.usefixtures("graded")
def test_who_hands_in_late_keeps_the_points_that_were_given_by_hand(grader: Grader) -> None:
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    write(Path("hw"), {"nobody_704_90009_hw.py": NO_SCALE})
    assert grader(*GRADE).code == 0
    found = book(grader, "jsonl")
    assert found["no-body"]["score"] == 10.0
    assert found["no-body"]["verdict"] == "failed"
    assert len(found) == 4


@pytest.mark.usefixtures("graded")
def test_a_regrade_leaves_points_by_hand_and_counts_to_the_new_maximum(grader: Grader) -> None:
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    Path("new.yaml").write_text(RUBRIC.replace("points: 4", "points: 14"), encoding="utf-8")
    assert grader("regrade", "r", "--rubric", "new.yaml").code == 0
    found = book(grader, "jsonl")["no-body"]
    assert (found["score"], found["max_score"]) == (6.0, 20.0)


@pytest.mark.usefixtures("graded")
def test_feedback_says_what_was_decided_by_the_criterions_title(grader: Grader) -> None:
    grader("override", "r", "702", "attention", "5.50", "--reason", "named it in class")
    grader("override", "r", "704", "attention", "5", "--reason", "oral exam")
    grader("export", "r", "--feedback", "back")
    text = next(path for path in Path("back").iterdir() if "702" in path.name).read_text(encoding="utf-8")
    assert text.startswith("**Score: 9.5 of 10 points**\n\n- A: 5.5 instead of 0 points (named it in class)\n")
    said = "**Score: 5 of 10 points**\n\n- nothing was handed in\n- A: 5 of 6 points (oral exam)\n"
    assert Path("back/no-body.md").read_text(encoding="utf-8") == said


@pytest.mark.usefixtures("graded")
def test_whoever_a_person_has_decided_on_is_not_to_be_looked_at_again(grader: Grader) -> None:
    assert "nothing handed in (2): No, Body; Zzz, Last" in grader("report", "r").out
    grader("override", "r", "704", "--excuse", "--reason", "ill")
    assert "nothing handed in (1): Zzz, Last" in grader("report", "r").out
    grader("override", "r", "705", "attention", "3", "--reason", "oral exam")
    assert "nothing handed in" not in grader("report", "r").out


@pytest.mark.usefixtures("graded")
def test_points_by_hand_are_no_points_of_the_group_that_hands_in_later(grader: Grader) -> None:
    grader("override", "r", "704", "attention", "6", "--reason", "oral exam")
    rows = ('"Lee, Ann",701,1,', '"Zhang, Wei",702,1,', '"No, Body",704,1,duo', '"Zzz, Last",705,1,duo')
    team = "\n".join(("Student,ID,Section,Group", *rows, ""))
    Path("roster.csv").write_text(team, encoding="utf-8")
    write(Path("hw"), {"duo_800_90009_hw.py": NO_SCALE})
    assert grader(*GRADE, "--roster", "roster.csv").code == 0
    found = book(grader, "jsonl")
    assert found["duo-800"]["members"] == ["No, Body", "Zzz, Last"]
    assert found["duo-800"]["score"] == 4.0
    assert "no-body" not in found
