"""The same class again, a week later: what the instructor said stays, and nothing is graded over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import NO_SCALE, NO_SHIFT, RIGHT, write

Grader = Callable[..., Any]

RUBRIC = """\
schema: grader/rubric/v1
id: mine
assignment: attention-numpy
version: "{version}"
title: Mine
criteria:
  - {{id: softmax, title: S, points: {softmax}, credit: all, checks: [softmax.*]}}
  - {{id: attention, title: A, points: {attention}, credit: all, checks: [scaled_dot_product_attention.*]}}
"""


@pytest.fixture
def graded(grader: Grader, tmp_path: Path, once: Callable[..., None]) -> None:
    once("again", tmp_path, lambda: grade(grader, tmp_path))


def grade(grader: Grader, tmp_path: Path) -> None:
    write(
        tmp_path / "hw",
        {"leeann_701_1_hw.py": RIGHT, "zhangwei_702_2_hw.py": NO_SCALE, "nowakjan_703_3_hw.py": NO_SHIFT},
    )
    Path("roster.csv").write_text(
        'Student,ID,Section\n"Lee, Ann",701,1\n"Zhang, Wei",702,1\n"Nowak, Jan",703,1\n"No, Body",704,1\n',
        encoding="utf-8-sig",
    )
    for version, (softmax, attention) in enumerate([(4, 6), (6, 4), (2, 6)], 1):
        text = RUBRIC.format(version=version, softmax=softmax, attention=attention)
        Path(f"rubric{version}.yaml").write_text(text, encoding="utf-8")
    ran = grader(
        "grade", "hw", "-a", "attention-numpy", "-o", "r", "--roster", "roster.csv", "--rubric", "rubric1.yaml"
    )
    assert ran.code == 0, ran.err


ABSENT = "nothing was handed in, so there is no grade: No, Body (0 for them: `absent: zero` in the policy)\n"
AGAIN = ("grade", "hw", "-a", "attention-numpy", "-o", "r", "--rubric", "rubric1.yaml")


@pytest.mark.usefixtures("graded")
def test_a_roster_is_kept_with_the_results_and_need_not_be_given_again(grader: Grader) -> None:
    Path("roster.csv").unlink()
    ran = grader(*AGAIN)
    assert "Roster: r/roster.csv, as before" in ran.err
    assert ran.out.startswith("0 graded in ")
    assert "nothing was handed in by No, Body\n" in ran.out
    index = json.loads(Path("r/index.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in index["students"].values()] == ["Lee, Ann", "Nowak, Jan", "Zhang, Wei"]
    assert index["absent"] == ["No, Body"]


@pytest.mark.usefixtures("graded")
def test_results_of_another_assignment_are_not_graded_over(grader: Grader) -> None:
    before = Path("r/index.json").read_bytes()
    ran = grader("grade", "hw", "-a", "attention-mechanics", "-o", "r")
    assert (ran.code, Path("r/index.json").read_bytes()) == (2, before)
    said = (
        "grader: r: holds results of attention-numpy, and this is attention-mechanics. Name another folder with -o.\n"
    )
    assert ran.err.endswith(said)


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("who", ["Ann Lee", "lee, ann", "701", "lee-ann"])
def test_one_student_is_called_as_people_type_it_and_nothing_is_said_of_others(grader: Grader, who: str) -> None:
    ran = grader(*AGAIN, "--only", who, "--force")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("1 graded in ")
    assert "No, Body" not in ran.out


@pytest.mark.usefixtures("graded")
def test_who_keeps_the_score_by_other_criteria_is_counted_and_not_listed(grader: Grader) -> None:
    ran = grader("regrade", "r", "--rubric", "rubric2.yaml", "--dry-run")
    assert ran.out == (
        "Nowak, Jan: 6 → 4 of 10\n    attention: 6 → 4\n"
        "Zhang, Wei: 4 → 6 of 10\n    softmax: 4 → 6\n"
        "2 would move, 1 keeps the score by other points of the criteria; nothing was changed.\n"
    )
    ran = grader("regrade", "r", "--rubric", "rubric2.yaml")
    assert ran.out.endswith("2 moved, 1 keeps the score by other points of the criteria.\n")
    assert grader("regrade", "r", "--rubric", "rubric2.yaml").out == "0 moved.\n"


@pytest.mark.usefixtures("graded")
def test_points_that_were_given_above_what_a_criterion_is_worth_now_are_said(grader: Grader) -> None:
    assert grader("override", "r", "702", "softmax", "3", "--reason", "seen").code == 0
    ran = grader("regrade", "r", "--rubric", "rubric3.yaml", "--dry-run")
    assert "softmax: 4 → 2  (overridden: 3 stay as decided, more than the 2 now)\n" in ran.out


@pytest.mark.usefixtures("graded")
def test_a_sheet_for_a_form_that_takes_none_is_refused(grader: Grader) -> None:
    ran = grader("export", "r", "--to", "gradescope", "--sheet", "roster.csv")
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "grader: --sheet: is for Canvas, Moodle, Blackboard, Brightspace, and gradescope takes none. Leave it out,"
        " or change --to.\n"
    )


@pytest.mark.usefixtures("graded")
def test_the_mark_that_excel_looks_for_is_kept_where_the_sheet_had_it(grader: Grader) -> None:
    sheet = 'Student,ID,Section,HW (1)\n"Lee, Ann",701,1,\n'
    for encoding, first in (("utf-8-sig", b"\xef\xbb\xbfStudent"), ("utf-8", b"Student")):
        Path("sheet.csv").write_text(sheet, encoding=encoding)
        assert (
            grader("export", "r", "--to", "canvas", "--sheet", "sheet.csv", "--title", "HW", "-o", "up.csv").code == 0
        )
        assert Path("up.csv").read_bytes() == first + b',ID,Section,HW (1)\r\n"Lee, Ann",701,1,10.00\r\n'


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("who", ["No, Body", "Body No", "704"])
def test_who_is_excused_and_handed_in_nothing_is_excused_in_the_sheet(grader: Grader, who: str) -> None:
    sheet = 'Student,ID,Section,HW (1)\n"Lee, Ann",701,1,\n"No, Body",704,1,\n'
    Path("sheet.csv").write_text(sheet, encoding="utf-8")
    Path("policy.yaml").write_text(f'students:\n  "{who}": {{excused: true}}\n', encoding="utf-8")
    ran = grader("export", "r", "--to", "canvas", "--title", "HW", "--sheet", "sheet.csv", "--policy", "policy.yaml")
    assert ran.out.splitlines()[1:] == ['"Lee, Ann",701,1,10.00', '"No, Body",704,1,EX']
    assert "Body" not in ran.err
    book = grader("export", "r", "--to", "jsonl", "--policy", "policy.yaml").out.splitlines()
    assert [json.loads(line)["key"] for line in book] == ["lee-ann", "no-body", "nowak-jan", "zhang-wei"]


@pytest.mark.usefixtures("graded")
def test_a_name_that_somebody_without_a_hand_in_has_too_is_not_guessed(grader: Grader) -> None:
    roster = Path("roster.csv")
    roster.write_text(roster.read_text(encoding="utf-8-sig") + '"Zhang, Wei",705,1\n', encoding="utf-8")
    Path("policy.yaml").write_text('students:\n  "Wei Zhang": {excused: true}\n', encoding="utf-8")
    ran = grader(*AGAIN, "--roster", "roster.csv", "--policy", "policy.yaml")
    assert "Wei Zhang: in the policy, but not in the class. Could be any of " in " ".join(ran.out.split())
    assert "EX" not in grader("export", "r").out


@pytest.mark.usefixtures("graded")
def test_an_export_of_late_hand_ins_alone_calls_nobody_absent_who_has_results(grader: Grader, tmp_path: Path) -> None:
    write(tmp_path / "late", {"nobody_704_90009_hw.py": RIGHT})
    ran = grader("grade", "late", *AGAIN[2:])
    assert "1 graded in" in ran.out
    assert "nothing was handed in" not in ran.out
    assert len(json.loads(Path("r/index.json").read_text(encoding="utf-8"))["students"]) == 4


@pytest.mark.usefixtures("graded")
def test_points_that_wait_for_a_person_are_said_with_every_gradebook(grader: Grader) -> None:
    index = json.loads(Path("r/index.json").read_text(encoding="utf-8"))
    row = index["students"]["zhang-wei"]["criteria"]
    row["attention"] = ["0", "6", "6"]
    Path("r/index.json").write_text(json.dumps(index), encoding="utf-8")
    said = "points that wait for a person are in no grade yet: Zhang, Wei (grader review r)\n"
    assert grader("export", "r").err == ABSENT + said
    assert grader("override", "r", "702", "attention", "3", "--reason", "read").code == 0
    assert grader("export", "r").err == ABSENT


@pytest.mark.usefixtures("graded")
def test_what_could_not_be_read_is_said_with_every_gradebook_until_a_person_gives_points(grader: Grader) -> None:
    index = json.loads(Path("r/index.json").read_text(encoding="utf-8"))
    row = index["students"]["zhang-wei"]
    row["verdict"] = "unreadable"
    row["criteria"] = {name: ["0", "0", most] for name, (_, _, most) in row["criteria"].items()}
    Path("r/index.json").write_text(json.dumps(index), encoding="utf-8")
    said = "what could not be read has 0 points here: Zhang, Wei; ask for the files again, or grader override\n"
    assert grader("export", "r").err == ABSENT + said
    assert grader("override", "r", "702", "attention", "3", "--reason", "shown").code == 0
    assert grader("export", "r").err == ABSENT


@pytest.mark.usefixtures("graded")
def test_gradescope_is_told_nothing_is_graded_where_all_points_wait(grader: Grader) -> None:
    index = json.loads(Path("r/index.json").read_text(encoding="utf-8"))
    row = index["students"]["zhang-wei"]
    row["criteria"] = {name: ["0", most, most] for name, (_, _, most) in row["criteria"].items()}
    Path("r/index.json").write_text(json.dumps(index), encoding="utf-8")
    lines = grader("export", "r", "--to", "gradescope").out.splitlines()
    assert sum(line.split(",")[-2] == "Ungraded" for line in lines) == 1
    assert next(line for line in lines if "Ungraded" in line).count("Zhang") == 1


@pytest.mark.usefixtures("graded")
def test_a_roster_of_another_class_is_one_line(grader: Grader) -> None:
    Path("other.csv").write_text("name,id\n" + "".join(f"Person {n},{n}\n" for n in range(90)), encoding="utf-8")
    ran = grader("grade", "hw", *AGAIN[2:5], "s", "--rubric", "rubric1.yaml", "--roster", "other.csv")
    said = "nobody of the roster is among the hand-ins: is it the right one? It has Person 0, they have leeann"
    assert said in " ".join(ran.out.split())
    assert len(ran.out.splitlines()) < 6


@pytest.mark.usefixtures("graded")
def test_scores_that_a_policy_moves_are_in_the_history_with_their_reason(grader: Grader) -> None:
    Path("policy.yaml").write_text('students: {"702": {excused: true}}\ncap: 90\n', encoding="utf-8")
    grader("regrade", "r", "--policy", "policy.yaml", "--dry-run")
    assert not Path("r/history.jsonl").exists()
    ran = grader("regrade", "r", "--policy", "policy.yaml", "--reason", "as announced")
    assert ran.out.endswith("2 moved.\n")
    lines = [json.loads(line) for line in Path("r/history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["student"], line["before"], line["after"], line["reason"], line["kind"]) for line in lines] == [
        ("lee-ann", "10.00", "9.00", "as announced", "policy"),
        ("zhang-wei", "4.00", None, "as announced", "policy"),
    ]


@pytest.mark.usefixtures("graded")
def test_going_back_to_an_older_rubric_loses_neither(grader: Grader) -> None:
    assert not Path("r/rubric.before.yaml").exists()
    grader("regrade", "r", "--rubric", "rubric2.yaml")
    Path("rubric2.yaml").unlink()
    ran = grader(*AGAIN)
    said = "the rubric was another one before, mine 2: to keep it, give it with --rubric (r/rubric.before.yaml)"
    assert said in " ".join(ran.out.split())
    assert grader("regrade", "r", "--rubric", "r/rubric.before.yaml").out.startswith("Nowak, Jan: 6 → 4 of 10\n")
    assert Path("r/rubric.yaml").read_text(encoding="utf-8") == RUBRIC.format(version=2, softmax=6, attention=4)
    assert Path("r/rubric.before.yaml").read_text(encoding="utf-8") == RUBRIC.format(version=1, softmax=4, attention=6)


@pytest.mark.usefixtures("graded")
def test_what_is_unchanged_shows_no_progress(grader: Grader) -> None:
    ran = grader(*AGAIN)
    assert ran.out.startswith("0 graded in ")
    assert "/s  " not in ran.err
    assert "/s  " in grader(*AGAIN, "--force").err
