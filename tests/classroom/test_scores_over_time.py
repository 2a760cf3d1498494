from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import decisions, policy
from grader.classroom.policy import Group, Policy, StudentPolicy
from grader.classroom.rescoring import rescored
from grader.classroom.results import existing, open_results
from grader.cli import reporting
from grader.cli.judging import settings_for
from grader.report import json_report

from .conftest import RIGHT, bytes_of, write

Grader = Callable[..., Any]
ASKED = ("-a", "attention-numpy", "--isolation", "standard", "--jobs", "1", "-o", "results")

RUBRIC = """\
schema: grader/rubric/v1
id: strict-order
assignment: attention-numpy
version: "1"
title: A rubric for tests
criteria:
  - {id: softmax, title: Softmax, points: 6, checks: [softmax.*]}
  - id: attention
    title: Attention
    points: 4
    requires: [softmax]
    checks: [scaled_dot_product_attention.*]
"""
FREE = RUBRIC.replace("    requires: [softmax]\n", "").replace("points: 6", "points: 8")
ONE = RUBRIC[: RUBRIC.index("  - id: attention")]
# The softmax is not shifted, the attention is right on its own.
APART = RIGHT.replace(" - np.max(x, axis=-1, keepdims=True)", "").replace(
    "weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))",
    "s = Q @ K.T / np.sqrt(Q.shape[-1])\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
    "    weights = e / e.sum(-1, keepdims=True)",
)


def rows() -> dict[str, Any]:
    return dict(json.loads(Path("results/index.json").read_text())["students"])


@pytest.fixture
def graded(grader: Grader, klass: Path, tmp_path: Path, once: Callable[..., None]) -> Path:
    """The class graded by RUBRIC; eve's softmax is wrong, her attention right and set aside."""
    once("scores over time", tmp_path, lambda: grade(grader, klass))
    return Path("results")


def grade(grader: Grader, klass: Path) -> None:
    write(klass, {"eve.py": APART})
    write(Path(), {"rubric.yaml": RUBRIC, "free.yaml": FREE, "one.yaml": ONE})
    assert grader("grade", klass, *ASKED, "--rubric", "rubric.yaml").code == 0


def test_scoring_stored_outcomes_by_the_same_rubric_gives_the_same_bytes(graded: Path) -> None:
    settings = settings_for("attention-numpy", rubric="rubric.yaml")
    for key, stored in existing(graded).all_reports():
        again = json_report.render(rescored(stored, settings.assignment, settings.rubric), "staff")
        assert again == (graded / f"reports/{key}.json").read_text()


def test_a_prerequisite_that_is_dropped_gives_its_points_back_without_running_code(
    graded: Path, grader: Grader, klass: Path
) -> None:
    assert rows()["eve"]["criteria"]["attention"] == ["0", "0", "4"]
    before = bytes_of(graded)
    dry = grader("regrade", "results", "--rubric", "free.yaml", "--dry-run")
    assert bytes_of(graded) == before
    assert "    attention: 0 → 4" in dry.out.splitlines()
    assert "nothing was changed" in dry.out
    for path in klass.iterdir():
        path.unlink()
    done = grader("regrade", "results", "--rubric", "free.yaml", "--reason", "order does not matter")
    assert done.code == 0
    assert rows()["eve"]["criteria"]["attention"] == ["4.00", "0", "4"]
    assert rows()["ann"]["score"] == "12.00"
    history = existing(graded).history()
    moved = {line["student"]: line for line in history}
    assert moved["eve"]["criteria"]["attention"] == ["0", "4.00"]
    assert {line["reason"] for line in history} == {"order does not matter"}
    assert "0 moved." in grader("regrade", "results", "--rubric", "free.yaml").out


def test_grading_after_a_regrade_leaves_what_stands(graded: Path, grader: Grader, klass: Path) -> None:
    grader("regrade", "results", "--rubric", "free.yaml")
    again = grader("grade", klass, *ASKED, "--rubric", "free.yaml")
    assert "0 graded" in again.out
    assert "5 graded again: changed: rubric" in grader("grade", klass, *ASKED, "--rubric", "rubric.yaml").out
    assert graded.is_dir()


@pytest.mark.slow
def test_a_component_that_was_never_judged_is_run_and_nothing_else(grader: Grader, klass: Path) -> None:
    write(Path(), {"rubric.yaml": RUBRIC, "one.yaml": ONE})
    one = ("--component", "softmax", "--rubric", "one.yaml")
    assert grader("grade", klass, *ASKED, *one).code == 0
    index = json.loads(Path("results/index.json").read_text())
    for made in index["settings"].values():
        made["components"] = ""
    Path("results/index.json").write_text(json.dumps(index))
    refused = grader("regrade", "results", "--rubric", "rubric.yaml")
    assert refused.code == 2
    assert "asks for scaled_dot_product_attention, which was not judged" in refused.err
    done = grader("regrade", "results", "--rubric", "rubric.yaml", "--source", klass)
    assert done.code == 0, done.err
    assert rows()["ann"]["criteria"] == {"softmax": ["6.00", "0", "6"], "attention": ["4.00", "0", "4"]}
    write(klass, {"ann.py": RIGHT + "\nmore = 1\n"})
    changed = grader("regrade", "results", "--rerun", "--source", klass)
    assert changed.code == 2
    assert "ann: changed since it was graded" in changed.err


def test_overrides_and_comments_survive_a_regrade(graded: Path, grader: Grader) -> None:
    assert "needs its reason" in grader("override", "results", "bob", "softmax", "3").err
    said = grader("override", "results", "bob", "softmax", "3.5", "--reason", "talked about it", "--by", "L")
    assert said.out == "bob: softmax 6 → 3.5 of 6 points (talked about it).\n"
    grader("override", "results", "bob", "--comment", "See me.")
    dry = grader("regrade", "results", "--rubric", "free.yaml")
    assert "overridden: stays as decided" in dry.out
    table = grader("export", "results", "--to", "jsonl").out
    bob = next(line for line in map(json.loads, table.splitlines()) if line["key"] == "bob")
    assert bob["score"] == 3.5 + float(rows()["bob"]["criteria"]["attention"][0])
    assert decisions.comments(existing(graded)) == {"bob": "See me."}
    assert "nobody" not in said.err
    assert grader("override", "results", "zed", "softmax", "1", "--reason", "x").code == 2
    assert grader("override", "results", "bob", "softmax", "99", "--reason", "x").code == 2
    assert grader("override", "results", "bob", "sotfmax", "1", "--reason", "x").err.endswith(
        "Did you mean 'softmax'?\n"
    )
    grader("override", "results", "bob", "softmax", "--withdraw", "--reason", "a mistake of mine")
    assert existing(graded).overrides() == {}


@pytest.mark.parametrize("who", ["Müller, Ann", "Ann Muller", "muller ann", "MÜLLER-ANN", "müller-ann"])
def test_a_student_is_found_by_a_name_as_people_type_it(tmp_path: Path, who: str) -> None:
    folder = open_results(tmp_path / "results")
    row = {"name": "Müller, Ann", "ids": ["5000"]}
    index = {"schema": "grader/results/v1", "students": {"müller-ann": row, "muller-bo": {"name": "Bo", "ids": []}}}
    (folder.folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    assert decisions.find_student(folder, who)[0] == "müller-ann"


@pytest.mark.parametrize("columns", ["80", "140"])
@pytest.mark.usefixtures("graded")
def test_no_line_of_the_class_report_is_wider_than_the_terminal(
    grader: Grader, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    listed = grader("report", "results").out.partition("Named mistakes")[2]
    assert all(len(line) <= int(columns) for line in listed.splitlines())
    assert "[sdpa-no-scale]" in listed


@pytest.mark.usefixtures("graded")
def test_the_class_report_counts_mistakes_and_parts_checks(grader: Grader) -> None:
    found = json.loads(grader("report", "results", "--format", "json").out)
    assert (found["students"], found["graded"], found["unreadable"], found["max_score"]) == (5, 5, 0, 10)
    scores = [float(row["score"]) for row in rows().values()]
    assert found["mean"] == pytest.approx(sum(scores) / 5, abs=1e-3)
    named = {mistake["id"]: mistake["students"] for mistake in found["mistakes"]}
    assert named["sdpa-no-scale"] == 1
    shift = next(check for check in found["checks"] if check["id"] == "softmax.survives_large_scores")
    assert (shift["judged"], shift["passed"]) == (5, 2)
    assert shift["discrimination"] > 0
    assert "1 of 5  The scores are not divided by √d_k." in grader("report", "results").out


@pytest.mark.usefixtures("graded")
def test_the_terminal_has_the_hardest_checks_alone(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = json.loads(grader("report", "results", "--format", "json").out)["checks"]
    monkeypatch.setattr(reporting, "MOST_CHECKS", 3)
    *_, listed = grader("report", "results").out.partition("Checks, the hardest first")
    assert sum(f"[{check['id']}]" in listed for check in checks) == 3
    assert f"{len(checks) - 3} more, each passed by " in listed


def test_alike_submissions_are_ranked_with_both_passages_and_the_reference_is_marked(
    graded: Path, grader: Grader, klass: Path
) -> None:
    renamed = (
        APART.replace("weights", "w").replace("Q", "queries").replace("s = ", "scores = ").replace("(s", "(scores")
    )
    source = (Path(__file__).parents[2] / "reference/feed_forward.py").read_text()
    write(klass, {"fay.py": renamed.replace("s.max", "scores.max"), "gus.py": source})
    found = json.loads(grader("similar", "results", "--source", klass, "--format", "json", "--least", "0.2").out)
    pair = next(pair for pair in found["pairs"] if {pair["one"], pair["other"]} == {"eve", "fay"})
    assert pair["likeness"] > 0.4
    assert any("w = e /" in line for part in pair["passages"] for line in part["other"]["lines"])
    assert [(p["one"], p["likeness"]) for p in found["pairs"] if p["other"] == "reference/feed_forward.py"] == [
        ("gus", 1)
    ]
    text = grader("similar", "results", "--source", klass).out
    assert max(map(len, text.splitlines()[2:])) <= 80
    assert text.splitlines()[1] == (
        "Not counted: the starter code, what most of the class have alike, names and comments."
    )
    assert "gus and reference/feed_forward.py: 100%  (the project's own reference)" in text
    assert graded.is_dir()


ROW = {
    "score": "12.00",
    "max_score": "20",
    "pending": "0",
    "ids": ["a@x.edu"],
    "submitted_at": "2026-09-03T12:00:00+00:00",
    "late": False,
    "criteria": {"a": ["5.00", "0", "10"], "b": ["7.00", "0", "10"]},
}
DUE = "2026-09-01T00:00:00+00:00"


def final(about: dict[str, Any], **row: Any) -> tuple[str | None, tuple[str, ...]]:
    found = policy.final({**ROW, **row}, "ann", Policy.model_validate(about), {})
    return (None if found.points is None else str(found.points)), tuple(map(str, found.steps))


@pytest.mark.parametrize(
    ("about", "points"),
    [
        ({}, "12.00"),
        ({"due": DUE, "per_day": "10"}, "6.00"),
        ({"due": DUE, "per_day": "10", "tokens": 2}, "10.00"),
        ({"due": DUE, "per_day": "10", "tokens": 2, "students": {"ann": {"tokens": 0}}}, "6.00"),
        ({"due": DUE, "per_day": "10", "grace_minutes": 24 * 60}, "8.00"),
        ({"due": DUE, "per_day": "10", "cut_off_days": 2}, "0.00"),
        ({"due": DUE, "per_day": "10", "students": {"a@x.edu": {"due": "2026-09-03T12:00:00+00:00"}}}, "12.00"),
        ({"cap": 50}, "10.00"),
        ({"students": {"ann": {"excused": True}}}, None),
        ({"groups": [{"criteria": ["a", "b"], "rule": "min"}]}, "10.00"),
        ({"groups": [{"criteria": ["a", "b"], "rule": "all-or-nothing"}]}, "0.00"),
        ({"groups": [{"criteria": ["a", "b"], "rule": "drop-lowest"}]}, "14.00"),
    ],
)
def test_policies_give_exact_points(about: dict[str, Any], points: str | None) -> None:
    assert final(about)[0] == points


def test_a_late_mark_without_a_time_costs_one_day() -> None:
    assert final({"due": DUE, "per_day": 10}, submitted_at="", late=True) == (
        "10.00",
        ("marked late without a time: one day: −10 % of 20",),
    )


def test_late_days_pay_for_a_late_mark_and_an_own_deadline_makes_it_say_nothing() -> None:
    about = {"due": DUE, "per_day": 10, "tokens": 1}
    assert final(about, submitted_at="", late=True) == (
        "12.00",
        ("marked late without a time: one day, 1 late day spent: −0 % of 20",),
    )
    own = {"due": DUE, "per_day": 10, "students": {"ann": {"due": "2026-10-01T00:00:00+00:00"}}}
    assert final(own, submitted_at="", late=True)[0] == "12.00"


@pytest.mark.parametrize(
    ("when", "points"),
    [
        ("2026-09-03 12:00:00 Z", "6.00"),
        ("2026-09-03T12:00:00", "6.00"),
        ("Thursday, 3 September 2026, 12:00 PM", "6.00"),
        ("2026/09/02 11:59:00 PM GMT+2", "8.00"),
        ("13.9.2026 21:00", "0.00"),
        ("8/31/2026 23:59:59", "12.00"),
        ("9/3/2026 21:00:00", "12.00"),
        ("soon", "12.00"),
    ],
)
def test_lateness_follows_from_a_time_however_it_is_written_and_is_never_guessed(when: str, points: str) -> None:
    found, steps = final({"due": DUE, "per_day": "10"}, submitted_at=when)
    assert found == points
    guess = when in {"9/3/2026 21:00:00", "soon"}
    assert (
        any(step == f"lateness not counted: {when!r} is no time that can be read without guessing" for step in steps)
        == guess
    )


def test_a_policy_file_says_where_it_is_wrong_and_is_kept_with_the_results(graded: Path, grader: Grader) -> None:
    write(
        Path(),
        {"bad.yaml": "due: yesterday\n", "good.yaml": f"due: {DUE}\ncap: 50\nstudents:\n  zed: {{excused: true}}\n"},
    )
    assert grader("regrade", "results", "--policy", "bad.yaml").err.startswith("grader: bad.yaml:1: due")
    moved = grader("regrade", "results", "--policy", "good.yaml")
    assert "ann: 10 → 5 of 10" in moved.out
    exported = grader("export", "results", "--to", "csv")
    assert (
        "ann,ann,ann,5.00,10,0,passed,,standard,lateness not counted: when it was handed in is not known;"
        " capped at 50 % of 10" in exported.out
    )
    assert "zed: in the policy, but not in the class" in exported.err
    assert graded.is_dir()


def test_groups_and_students_are_data() -> None:
    assert Group(criteria=("a", "b"), rule="min").drop == 1
    assert StudentPolicy().tokens is None
    assert policy.final(ROW, "ann", Policy(), {"a": {"points": "9", "reason": "talk"}}).points == Decimal("16.00")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("files", "how"),
    [
        ({"hw__ann__1.py": RIGHT, "hw__bob__1.py": APART}, ("--pattern", r"__(?P<name>\w+?)__")),
        ({"softmax.py": RIGHT, "other.py": "def f(): pass\n"}, ("--layout", "plain")),
        ({"ann.py": RIGHT, "bob.py": APART, "cyd.py": RIGHT}, ("--layout", "drive")),
    ],
)
def test_how_a_class_was_read_is_remembered_where_it_is_read_again(
    grader: Grader, tmp_path: Path, files: dict[str, str], how: tuple[str, str]
) -> None:
    source = write(tmp_path / "odd", files)
    assert grader("grade", source, *ASKED, *how).code == 0
    ran = grader("regrade", "results", "--rerun", "--source", source, "--dry-run")
    assert (ran.code, ran.out) == (0, "0 would move; nothing was changed.\n"), ran.err
    assert grader("similar", "results", "--source", source).out.startswith(f"{len(files)} submissions")


def test_pairs_are_called_by_name_and_by_key_too_where_two_are_called_so(
    graded: Path, grader: Grader, klass: Path
) -> None:
    index = json.loads((graded / "index.json").read_text())
    names = {"ann": "Ánn Ångström", "bob": "Fay Li", "cyd": "Fay Li"}
    for key, name in names.items():
        index["students"][key]["name"] = name
    (graded / "index.json").write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
    text = grader("similar", "results", "--source", klass, "--least", "0").out
    assert ". Ánn Ångström and Fay Li (bob): " in text


def test_pairs_have_the_keys_of_the_results(graded: Path, grader: Grader, klass: Path) -> None:
    index = json.loads((graded / "index.json").read_text())
    index["students"]["renamed"] = {**index["students"].pop("ann"), "ids": ["ann"]}
    (graded / "index.json").write_text(json.dumps(index))
    found = json.loads(grader("similar", "results", "--source", klass, "--format", "json", "--least", "0").out)
    names = {name for pair in found["pairs"] for name in (pair["one"], pair["other"])}
    assert "renamed" in names
    assert "ann" not in names
