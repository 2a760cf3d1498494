"""What an instructor reads at midnight: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.catalog import rubric_file
from grader.classroom import policy
from grader.classroom.policy import Policy
from grader.classroom.roster import read_roster

from .conftest import RIGHT, write

ASKED = ("-a", "attention-numpy", "--isolation", "standard", "--jobs", "1", "-o", "results")
INDEX = {
    "schema": "grader/results/v1",
    "assignment": "attention-numpy",
    "settings": {},
    "students": {
        key: {
            "name": name, "ids": ids, "members": members, "submitted_at": "2026-09-05T00:00:00+00:00", "late": False,
            "score": "10", "max_score": "20", "pending": "0", "verdict": "failed", "isolation": "standard",
            "criteria": {"softmax": ["7", "0", "10"], "attention": ["3", "0", "10"]},
        }
        for key, name, ids, members in (
            ("müller-ann", "Müller, Ann", ["5000"], []),
            ("lee", "Lee", ["1"], []),
            ("lee-2", "Lee", ["2"], []),
            ("team", "Bo, Cy", ["bo@x.edu", "cy@x.edu"], ["Bo", "Cy"]),
        )
    },
}  # fmt: skip
DUE = "due: 2026-09-04T00:00+00:00\nper_day: 10\n"


@pytest.fixture
def results(grader: Callable[..., Any]) -> Callable[..., Any]:
    """Results of four hand-ins beside it; call it as ``grader``."""
    write(Path(), {"results/index.json": json.dumps(INDEX)})
    return grader


def scores(grader: Callable[..., Any], text: str) -> tuple[dict[str, Any], str]:
    write(Path(), {"policy.yaml": text})
    ran = grader("export", "results", "--to", "jsonl", "--policy", "policy.yaml")
    assert ran.code == 0, ran.err
    found = [json.loads(line) for line in ran.out.splitlines()]
    return {row["key"]: row["score"] for row in found}, ran.err


def test_a_policy_calls_students_as_people_do(results: Callable[..., Any]) -> None:
    found, said = scores(results, DUE + "students:\n  Ann Muller: {excused: true}\n  '2': {due: 2026-09-06T00:00Z}\n")
    assert found == {"müller-ann": None, "lee": 8.0, "lee-2": 10.0, "team": 8.0}
    assert said == ""


def test_a_name_that_several_have_or_nobody_has_changes_nothing_and_is_said(results: Callable[..., Any]) -> None:
    found, said = scores(results, "students:\n  Lee: {excused: true}\n  Muler: {excused: true}\n")
    assert set(found.values()) == {10.0}
    assert said.splitlines() == [
        "Lee: in the policy, but not in the class. Could be any of lee, lee-2: give the key.",
        "Muler: in the policy, but not in the class. Did you mean 'Müller, Ann'?",
    ]


def test_a_group_is_excused_when_all_of_it_is_and_has_the_kindest_deadline(results: Callable[..., Any]) -> None:
    one, _ = scores(results, DUE + "students:\n  bo@x.edu: {excused: true}\n")
    assert one["team"] == 8.0
    both, _ = scores(results, "students:\n  bo@x.edu: {excused: true}\n  cy@x.edu: {excused: true}\n")
    assert both["team"] is None
    later, _ = scores(results, DUE + "students:\n  cy@x.edu: {due: 2026-09-09T00:00Z}\n")
    assert later["team"] == 10.0


def test_a_group_of_criteria_that_are_not_there_is_said(results: Callable[..., Any]) -> None:
    found, said = scores(results, "groups:\n  - {criteria: [sotfmax, attention], rule: min}\n")
    assert said == "sotfmax: a group of the policy names it, and there is no such criterion. Did you mean 'softmax'?\n"
    assert found["lee"] == 10.0


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_policy_and_rubric_may_be_in_whatever_letters_editors_write(
    encoding: str, grader: Callable[..., Any], klass: Path
) -> None:
    rubric = rubric_file("attention-numpy").read_text(encoding="utf-8").replace("title: Build", "title: Übung. Build")
    Path("rubric.yaml").write_text(rubric, encoding=encoding)
    Path("policy.yaml").write_text("# für später\ncap: 100\n", encoding=encoding)
    for _ in range(2):
        ran = grader("grade", klass, *ASKED, "--rubric", "rubric.yaml", "--policy", "policy.yaml")
        assert ran.code == 0, ran.err
    assert grader("regrade", "results", "--rubric", "rubric.yaml", "--policy", "policy.yaml").code == 0
    assert "Übung" in Path("results/rubric.yaml").read_text(encoding="utf-8")
    assert "für später" in Path("results/policy.yaml").read_text(encoding="utf-8")


ZONE = "expected a time with its zone, such as 2026-09-01T23:59+02:00 or 2026-09-01 23:59 Europe/Berlin"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due: 2026-09-01\n", f"1: due: {ZONE}"),
        ("due: 2026-09-01T10:00\n", f"1: due: {ZONE}"),
        ("due: soon\n", f"1: due: {ZONE}"),
        ("cap: 100\nper_day: ten\n", "2: per_day: expected a number, found 'ten'"),
        ("groups:\n  - {criteria: [softmax], rule: min}\n", "2: groups[0].criteria: expected at least 2 entries"),
        ("cap: 1\ncap: 2\n", "2: cap: given twice, first on line 1"),
    ],
)
def test_a_bad_policy_names_line_field_and_what_was_expected(results: Callable[..., Any], text: str, said: str) -> None:
    write(Path(), {"bad.yaml": text})
    ran = results("export", "results", "--policy", "bad.yaml")
    assert (ran.code, ran.err) == (2, f"grader: bad.yaml:{said}\n")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "there is nobody on it. Expected a CSV with a heading and one row per student."),
        (
            b"foo;bar\n1;2\n",
            (
                "has no column for names or ids. The first line has: foo, bar. It has to name the columns; "
                "call one `name`."
            ),
        ),
        (b"PK\x03\x04rest", "is a spreadsheet or an archive, not a CSV. Save it as CSV (UTF-8)."),
    ],
)
def test_a_bad_roster_names_the_cure(grader: Callable[..., Any], klass: Path, raw: bytes, said: str) -> None:
    Path("roster.csv").write_bytes(raw)
    ran = grader("grade", klass, *ASKED, "--roster", "roster.csv")
    assert (ran.code, ran.err.splitlines()[-1]) == (2, f"grader: roster.csv: {said}")


LISTED = "name;id\nÄnn Ö'Brien;ann\nBöb;bob\nCyd;cyd\nDan;dan\n"


@pytest.mark.parametrize("first", ["", "sep=;\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_roster_is_read_in_the_encodings_of_spreadsheets(tmp_path: Path, encoding: str, first: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(f"{first}{LISTED}".encode(encoding))
    assert [student.name for student in read_roster(path)] == ["Änn Ö'Brien", "Böb", "Cyd", "Dan"]


def test_the_names_of_a_roster_stand_in_the_results(grader: Callable[..., Any], klass: Path) -> None:
    Path("roster.csv").write_bytes(f"sep=;\r\n{LISTED}".encode("cp1252"))
    ran = grader("grade", klass, *ASKED, "--roster", "roster.csv", "--only", "ann")
    assert ran.code == 0
    assert "Änn Ö'Brien" in Path("results/index.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Muler", "softmax", "1"), "results: there is no student 'Muler'. Did you mean 'Müller, Ann'?"),
        (("Lee", "softmax", "1"), "results: 'Lee' could be any of lee, lee-2. Give the key."),
        (("zzz", "softmax", "1"), "results: there is no student 'zzz'. Give a name, key or id, such as "),
        (("5000", "softmax", "11"), "softmax: 11 points are not between 0 and 10. A bonus is a criterion of its own."),
        (("5000", "softmx", "1"), "müller-ann: there is no criterion 'softmx'. Did you mean 'softmax'?"),
        (("5000", "softmax", "few"), "POINTS: 'few' are no points. Give a number such as 3.5."),
        (("5000", "softmax"), "POINTS: how many points? Give a number such as 3.5, or take the decision back"),
    ],
)
def test_a_wrong_override_says_what_was_meant(results: Callable[..., Any], words: tuple[str, ...], said: str) -> None:
    ran = results("override", "results", *words, "--reason", "x")
    assert ran.code == 2
    assert ran.err.startswith(f"grader: {said}")
    assert not Path("results/overrides.json").exists()


def test_a_rubric_of_another_assignment_is_said_once(grader: Callable[..., Any], klass: Path) -> None:
    rubric = Path(__file__).parents[2] / "rubrics/transformer-from-scratch.yaml"
    ran = grader("grade", klass, *ASKED, "--rubric", rubric)
    assert ran.code == 2
    assert ran.err.splitlines()[-1].endswith("assignment: expected 'attention-numpy', found 'transformer-from-scratch'")


@pytest.mark.parametrize("verb", ["report", "export", "regrade", "override"])
def test_a_folder_without_results_names_the_command_that_makes_them(
    grader: Callable[..., Any], klass: Path, verb: str
) -> None:
    more = {"regrade": ("--rubric", "x"), "override": ("ann", "softmax", "1", "--reason", "x")}.get(verb, ())
    ran = grader(verb, klass, *more)
    assert (ran.code, ran.err) == (
        2,
        f"grader: {klass}: this is no results folder. Make one with `grader grade CLASS -a ID -o RESULTS`.\n",
    )


@pytest.mark.slow
def test_a_long_class_is_summed_up_in_few_lines(grader: Callable[..., Any], klass: Path) -> None:
    people = "\n".join(f"Student {n},s{n}" for n in range(40))
    write(Path(), {"roster.csv": f"name,id\n{people}\nAnn,ann\n"})
    ran = grader("grade", klass, *ASKED, "--roster", "roster.csv")
    joined = " ".join(ran.out.split())
    assert "nothing was handed in by Student 0, Student 1," in joined
    assert "not on the roster, graded under the names they have: bob, cyd, dan" in joined
    assert all(len(line) <= 80 for line in ran.out.splitlines()[:-1])


def test_a_policy_that_names_nobody_is_itself() -> None:
    assert policy.resolved(Policy(), {}) == Policy()


def test_who_cannot_be_read_is_named_and_the_class_is_graded(grader: Callable[..., Any]) -> None:
    write(Path(), {"class/Ann B/attention.py": RIGHT, "class/Bo C/hw.ipynb": '{"cells": ['})
    ran = grader("grade", "class", *ASKED, "--layout", "plain")
    assert ran.code == 0
    assert "1 unreadable." in ran.out
    assert "  cannot be read: Bo C\n" in ran.out


@pytest.mark.slow
def test_going_back_to_another_rubric_than_that_of_a_regrade_is_said(grader: Callable[..., Any]) -> None:
    own = (Path(__file__).parents[2] / "rubrics" / "attention-numpy.yaml").read_text(encoding="utf-8")
    mine = own.replace("id: attention-numpy", "id: mine").replace("points: 11", "points: 31")
    write(Path(), {"class/Ann B/attention.py": RIGHT, "class/Bo C/attention.py": "", "mine.yaml": mine})
    assert "rubric was" not in grader("grade", "class", *ASKED).out
    assert "rubric was" not in grader("grade", "class", *ASKED).out
    assert grader("regrade", "results", "--rubric", "mine.yaml").code == 0
    assert "rubric was" not in grader("grade", "class", *ASKED, "--rubric", "mine.yaml").out
    again = " ".join(grader("grade", "class", *ASKED).out.split())
    assert "the rubric was another one before, mine 1: to keep it, give it with --rubric" in again


def test_every_complaint_on_a_policy_is_told_at_once(results: Callable[..., Any]) -> None:
    write(Path(), {"policy.yaml": "due: yesterday\nper_dy: 10\nstudents:\n  ann: {dew: 1}\n"})
    ran = results("export", "results", "--policy", "policy.yaml")
    assert ran.code == 2
    assert [line.split(": ")[2] for line in ran.err.splitlines()] == ["due", "students.ann.dew", "per_dy"]


def test_a_title_that_the_sheet_of_canvas_does_not_have_is_answered_with_those_it_has(
    results: Callable[..., Any],
) -> None:
    headings = "Student,ID,SIS User ID,SIS Login ID,Section,HW5 Attention (1234),Quiz (2)"
    write(Path(), {"sheet.csv": f"{headings}\nLee,1,,,,,\n"})
    ran = results("export", "results", "--to", "canvas", "--sheet", "sheet.csv")
    assert ran.code == 2
    assert "with --title. It has: HW5 Attention, Quiz." in ran.err


def test_who_is_left_out_of_a_comparison_has_the_name_of_the_roster(grader: Callable[..., Any]) -> None:
    names = {"bann_10005_90005_a.py": RIGHT, "cbob_10006_90006_a.ipynb": '{"cells": [', "dcyd_10007_90007_a.py": RIGHT}
    write(Path(), {f"export/{name}": text for name, text in names.items()})
    write(Path(), {"roster.csv": "name,id\nAnn B,10005\nBob C,10006\nCyd D,10007\n"})
    assert grader("grade", "export", *ASKED, "--roster", "roster.csv").code == 0
    ran = grader("similar", "results", "--source", "export")
    assert ran.code == 0
    assert "Bob C: left out: cbob_10006_90006_a.ipynb: " in ran.err


def test_a_file_in_a_folder_that_is_not_there_says_to_make_it(results: Callable[..., Any]) -> None:
    ran = results("review", "results", "--export", "nowhere/queue.csv")
    assert ran.code == 2
    assert "Make its folder first." in ran.err
    assert "disk" not in ran.err


def test_a_quote_that_is_not_closed_is_said_of_a_roster_and_a_sheet(grader: Callable[..., Any], klass: Path) -> None:
    Path("long.csv").write_text('Name,ID\n"Ann ' + "x" * 140_000, encoding="utf-8")
    ran = grader("grade", klass, *ASKED, "--roster", "long.csv")
    assert (ran.code, "long.csv: is no table" in ran.err) == (2, True)


def test_results_that_were_changed_by_hand_name_the_file_and_the_field(results: Callable[..., Any]) -> None:
    path = Path("results/index.json")
    index = path.read_text(encoding="utf-8")
    for wrong, said in (
        (index.replace('"criteria": {', '"criterion": {', 1), "index.json: was damaged (students."),
        (index.replace('"ids": [', '"ids": 7, "was": [', 1), "index.json: was damaged (students."),
        (index[: len(index) // 2], "index.json: is not valid JSON"),
    ):
        path.write_text(wrong, encoding="utf-8")
        ran = results("export", "results")
        assert (ran.code, said in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("key", ["a" * 5000, "a\0b", "a/b", ""])
def test_a_decision_for_a_key_that_is_no_name_of_a_file_is_nobodys(results: Callable[..., Any], key: str) -> None:
    decision = {"softmax": {"points": "3", "reason": "oral", "by": "t", "when": "2026-09-01T10:00:00+00:00"}}
    Path("results/overrides.json").write_text(json.dumps({key: decision}), encoding="utf-8")
    assert [results(*words).code for words in (("export", "results"), ("report", "results"))] == [0, 0]
