"""`check`, `grade` and `ci` judge real work; exit codes, files and what is printed are as promised."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

Grader = Callable[..., Any]
ISOLATION = ("--isolation", "standard")


def test_right_work_is_told_so_and_exits_0(grader: Grader, right: Path) -> None:
    ran = grader("check", right)
    assert ran.code == 0
    assert "18 of 18 points" in ran.out
    assert "18 of 20 points visible." in ran.out
    assert "Everything that was judged is right." in ran.out
    assert ran.err == "Assignment attention-numpy: it defines `softmax`, `self_attention`.\n"


def test_wrong_work_names_the_mistake_and_exits_1(grader: Grader, no_scale: Path) -> None:
    ran = grader("check", no_scale, "-a", "attention-numpy")
    assert ran.code == 1
    assert "grader explain sdpa-no-scale" in ran.out
    assert "\x1b" not in ran.out
    assert ran.err == ""


def test_the_only_candidate_in_the_folder_is_found(grader: Grader, right: Path) -> None:
    (right.parent / "test_attention.py").write_text("def test_it(): ...")
    assert grader("check", "-a", "attention-numpy").code == 0


@pytest.mark.usefixtures("right", "no_scale")
def test_two_candidates_are_named_and_none_is_guessed(grader: Grader) -> None:
    ran = grader("check")
    assert ran.code == 2
    assert "which one is meant: attention.py, unscaled.py?" in ran.err
    assert "Name it: grader check attention.py." in ran.err


@pytest.mark.usefixtures("no_scale")
def test_grader_yaml_names_the_work(grader: Grader, right: Path) -> None:
    (right.parent / "grader.yaml").write_text("assignment: attention-numpy\npath: unscaled.py\n")
    assert grader("check").code == 1


def test_grader_yaml_may_not_lead_out_of_its_folder(grader: Grader, right: Path) -> None:
    (right.parent / "grader.yaml").write_text("assignment: attention-numpy\npath: ../elsewhere.py\n")
    ran = grader("check")
    assert ran.code == 2
    assert "expected something inside its folder" in ran.err


def test_one_component_can_be_checked_alone(grader: Grader, no_scale: Path) -> None:
    ran = grader("check", no_scale, "-a", "attention-numpy", "--component", "softmax")
    assert ran.code == 0
    assert "7 of 7 points" in ran.out
    ran = grader("check", no_scale, "-a", "attention-numpy", "--component", "softmx")
    assert ran.code == 2
    assert "Did you mean 'softmax'?" in ran.err


def test_hint_helps_a_step_further(grader: Grader, no_scale: Path) -> None:
    usual = grader("check", no_scale, "-a", "attention-numpy").out
    more = grader("check", no_scale, "-a", "attention-numpy", "--hint").out
    assert "--hint" in usual
    assert "--hint" not in more
    assert len(more) > len(usual)


def test_grade_writes_json_that_keeps_to_the_exported_schema(grader: Grader, no_scale: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    ran = grader("grade", no_scale, "-a", "attention-numpy", "--format", "json", "-o", target, *ISOLATION)
    assert (ran.code, ran.out) == (0, "")
    found = json.loads(target.read_text())
    jsonschema.validate(found, json.loads(grader("schema", "report").out))
    assert found["isolation"]["applied"] == "standard"
    assert found["score"] < found["max_score"] == 20
    assert {check["misconception"]["id"] for check in found["checks"] if check["misconception"]} == {"sdpa-no-scale"}


def test_the_same_work_graded_twice_gives_the_same_bytes(grader: Grader, no_scale: Path) -> None:
    def graded() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            grader("grade", no_scale, "-a", "attention-numpy", "--format", "json", *ISOLATION).out
        )
        for check in found["checks"]:
            check["duration_s"] = 0
        return found

    assert graded() == graded()


@pytest.mark.parametrize(("name", "start"), [("r.md", "# "), ("r.xml", "<?xml"), ("r.txt", "Build"), ("r.json", "{")])
def test_the_name_of_the_output_tells_the_format(grader: Grader, right: Path, name: str, start: str) -> None:
    assert grader("grade", right, "-a", "attention-numpy", "-o", name, *ISOLATION).code == 0
    assert Path(name).read_text().startswith(start)


def test_isolation_none_writes_no_score(grader: Grader, right: Path) -> None:
    ran = grader("grade", right, "-a", "attention-numpy", "--isolation", "none", "-o", "r.json")
    assert ran.code == 2
    assert not Path("r.json").exists()


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "nowhere.py"), "nowhere.py"),
        (("grade", "attention.py", "-a", "atention-numpy"), "Did you mean 'attention-numpy'?"),
        (("grade", "attention.py", "--rubric", "attention-nmpy"), "Did you mean 'attention-numpy'?"),
        (("check", "attention.py", "-o", "missing/r.txt"), "missing/r.txt: its folder does not exist"),
        (("check", "attention.py", "-o", "."), ".: is a folder"),
        (("chek", "attention.py"), "Did you mean 'check'?"),
        (("check", "attention.py", "--format", "yaml"), "'yaml'"),
        (("grade",), "SOURCE"),
        (("schema", "reprot"), "reprot"),
        (("ci",), "grader.yaml: there is no such file"),
    ],
)
def test_bad_usage_is_one_message_with_the_cure_and_exits_2(
    grader: Grader, right: Path, words: tuple[str, ...], said: str
) -> None:
    before = sorted(right.parent.iterdir())
    ran = grader(*words)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert sorted(right.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty", None),
        ("binary.py", b"\x7fELF\x02\x01\x01\x00\x00\x00"),
        ("latin.py", b"# caf\xe9\ndef softmax(x): ...\n"),
        ("work.ipynb", b"<html>"),
        ("work.zip", b"PK\x03\x04not really"),
        ("notes.txt", b"hello"),
    ],
)
def test_work_that_cannot_be_read_is_one_message_and_exits_2(
    grader: Grader, tmp_path: Path, name: str, content: bytes | None
) -> None:
    path = tmp_path / name
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    ran = grader("check", path, "-a", "attention-numpy")
    assert ran.code == 2
    assert name in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("half.py", "def softmax(x)\n    return x\n", "line 1 of half.py is not Python"),
        ("other.py", "def foo(): ...\n", "it defines foo"),
        ("empty.py", "", "it defines nothing"),
    ],
)
def test_code_that_tells_no_assignment_is_asked_for_one_with_code(
    grader: Grader, tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    ran = grader("check", name)
    assert ran.code == 2
    assert f"cannot tell which assignment this is: {said}" in ran.err
    assert "attention-numpy" in ran.err
    assert "discovery-worksheet" not in ran.err


def test_a_read_only_folder_is_said_before_the_work_is_done(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    ran = grader("grade", right, "-a", "attention-numpy", "-o", "r.json")
    assert ran.code == 2
    assert "r.json: cannot be written" in ran.err


def test_a_full_disk_leaves_nothing_half_written(
    grader: Grader, right: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "r.json").write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    ran = grader("grade", right, "-a", "attention-numpy", "-o", "r.json", *ISOLATION)
    assert ran.code == 2
    assert "r.json: cannot be written (No space left on device)" in ran.err
    assert (tmp_path / "r.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["attention.py", "r.json"]


def test_isolation_that_is_not_to_be_had_exits_3_with_the_command_that_works(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader import pipeline
    from grader.sandbox.parent import IsolationError

    def refused(*_: object) -> None:
        raise IsolationError("strict", ("Landlock",))

    monkeypatch.setattr(pipeline, "grade", refused)
    ran = grader("grade", right.name, "--isolation", "strict", "-a", "attention-numpy", "-o", "r.json")
    assert ran.code == 3
    assert "Landlock" in ran.err
    assert ran.err.splitlines()[-1] == ("  grader grade attention.py -a attention-numpy -o r.json --isolation standard")
    assert not Path("r.json").exists()
    checked = grader("check", right.name, "-a", "attention-numpy")
    assert checked.code == 3
    assert "--isolation none` runs the code unprotected" in checked.err
    assert len(checked.err.splitlines()) == 1, "check has no option for a weaker level"


def test_an_interrupt_exits_130(grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.cli import judging

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "read", interrupted)
    assert grader("check", right).code == 130


def test_a_fault_of_ours_exits_4_and_says_whose_it_is(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.cli import judging

    monkeypatch.setattr(judging, "read", lambda *_: 1 / 0)
    ran = grader("check", right)
    assert ran.code == 4
    assert "fault of the grader, not of the work" in ran.err


# ----------------------------------------------------------------------------------------------------------------- ci


@pytest.fixture
def repository(no_scale: Path) -> Path:
    (no_scale.parent / "grader.yaml").write_text(
        "assignment: attention-numpy\npath: unscaled.py\nisolation: standard\njunit: out.xml\n"
    )
    return no_scale.parent


def test_ci_writes_junit_and_exits_1_when_points_are_lost(grader: Grader, repository: Path) -> None:
    ran = grader("ci")
    assert ran.code == 1
    root = ET.fromstring((repository / "out.xml").read_text())  # noqa: S314 - our own file
    assert int(root.get("failures", "0")) >= 1
    assert "::error" not in ran.out


@pytest.mark.parametrize(("needed", "code"), [("1", 0), ("19.99", 1), ("5%", 0), ("100%", 1)])
@pytest.mark.usefixtures("repository")
def test_the_score_that_is_needed_decides(grader: Grader, needed: str, code: int) -> None:
    assert grader("ci", "--min-score", needed).code == code


@pytest.mark.usefixtures("repository")
def test_the_score_that_decides_is_told_apart_from_the_visible_one(grader: Grader) -> None:
    last = grader("ci", "--min-score", "19").out.splitlines()[-1]
    assert "of 20 points with what is hidden, 19 needed: not reached." in last


@pytest.mark.parametrize("needed", ["many", "-3", "nan", "%"])
@pytest.mark.usefixtures("repository")
def test_a_needed_score_that_is_none_is_refused(grader: Grader, needed: str) -> None:
    ran = grader("ci", f"--min-score={needed}")
    assert ran.code == 2
    assert "Write 14 or 80%." in ran.err


@pytest.mark.usefixtures("repository")
def test_on_github_it_annotates_and_summarises(grader: Grader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    ran = grader("ci")
    lines = ran.out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    token = lines[0].removeprefix("::stop-commands::")
    resumed = lines.index(f"::{token}::")
    assert any(line.startswith("::error ") for line in lines[resumed:])
    assert not any(line.startswith("::error ") for line in lines[:resumed])
    assert summary.read_text().startswith("# Build your own attention\n")


def test_unreadable_work_still_leaves_a_junit_file(grader: Grader, repository: Path) -> None:
    (repository / "unscaled.py").write_bytes(b"\x00\x01\x02")
    assert grader("ci").code == 2
    root = ET.fromstring((repository / "out.xml").read_text())  # noqa: S314 - our own file
    assert root.get("errors") == "1"


@pytest.mark.slow
def test_fifty_gradings_of_the_same_work_are_the_same_bytes(no_scale: Path) -> None:
    from dataclasses import replace

    from grader.cli.judging import judge, read, settings_for
    from grader.report import render
    from grader.sandbox.parent import Sandbox

    settings = settings_for("attention-numpy", isolation="standard", seed=11)
    found = set()
    with Sandbox(level="standard") as sandbox:
        for _ in range(50):
            report = judge(read(no_scale), settings, sandbox)
            timeless = tuple(
                replace(mark, outcomes=tuple(replace(item, duration_s=0.0) for item in mark.outcomes))
                for mark in report.marks
            )
            found.add(render(replace(report, marks=timeless), "json", "staff"))
    assert len(found) == 1


def test_what_cannot_be_judged_is_counted_as_it_would_have_been(grader: Grader, right: Path) -> None:
    counted = grader("check", right, "-a", "attention-numpy").out
    assert "9 of 9 checks" in counted
    right.write_text(right.read_text().replace("def self_attention", "def mine"))
    checks = json.loads(grader("check", right, "-a", "attention-numpy", "--format", "json").out)["checks"]
    assert [check["verdict"] for check in checks if check["component"] != "softmax"] == ["missing"] * 9


def test_functions_that_return_nothing_are_one_finding_each(grader: Grader) -> None:
    Path("a.py").write_text("def softmax(x):\n    pass\n\ndef self_attention(Q, K, V):\n    out = Q\n")
    out = " ".join(grader("check", "a.py", "-a", "attention-numpy").out.split())
    assert out.count("softmax returned None in every call: is the return line missing") == 1
    assert out.count("self_attention returned None in every call: is the return line missing") == 1
    assert "a.py, line 4" in out
    assert out.count("✗ ") == 4, "two rows of the table, two findings"


def test_a_function_inside_a_class_is_pointed_to(grader: Grader, right: Path) -> None:
    softmax, attention = right.read_text().split("def self_attention")
    inside = "\n".join(f"    {line}" for line in f"def self_attention{attention}".splitlines())
    right.write_text(f"{softmax}class Layer:\n{inside}\n")
    out = " ".join(grader("check", right, "-a", "attention-numpy").out.split())
    assert "self_attention is defined inside Layer only: move it out" in out


def test_a_package_that_is_not_at_hand_costs_what_uses_it_and_no_more(grader: Grader, right: Path) -> None:
    code = right.read_text().replace("    exp_x =", "    x = x + scipy.special.expit(x)\n    exp_x =")
    right.write_text("import scipy.special\nimport torch\n" + code)
    checks = json.loads(grader("check", right, "-a", "attention-numpy", "--format", "json").out)["checks"]
    lost = {check["component"] for check in checks if check["verdict"] != "passed"}
    assert lost == {"softmax"}
    said = next(check["message"] for check in checks if check["component"] == "softmax")
    assert said.startswith("ModuleNotFoundError: needs scipy, which is not available here")
    assert said.endswith("use what the hand-out names, or leave the import out where nothing needs it")


STARTERS = ("attention-numpy", "attention-mechanics", pytest.param("transformer-from-scratch", marks=pytest.mark.slow))


@pytest.mark.parametrize("assignment", STARTERS)
def test_an_untouched_starter_is_told_in_a_line_a_part_and_where_to_begin(grader: Grader, assignment: str) -> None:
    grader("new", assignment, ".")
    ran = grader("check")
    parts = [line for line in ran.out.splitlines() if "not written yet  " in line]
    assert ran.code == 1
    assert all("  0 / " in line for line in parts), "nothing is given, and nothing waits"
    assert f"{len(parts)} parts are not written yet. Start with softmax (" in ran.out
    assert "got" not in ran.out
    assert len(ran.out.splitlines()) < len(parts) + 25


@pytest.mark.parametrize("assignment", ["discovery-worksheet", "paper-walkthrough", "rederive-report"])
def test_a_blank_sheet_is_told_in_one_sentence(grader: Grader, assignment: str) -> None:
    grader("new", assignment, ".")
    out = grader("check").out
    assert out.count("left empty") + out.count("No report was handed in") == 1
    assert len(out.splitlines()) < 25


def test_more_help_is_the_command_as_typed(grader: Grader, no_scale: Path) -> None:
    no_scale.rename("my work.py")
    typed = ["check", "my work.py", "-a", "attention-numpy", "--component", "scaled_dot_product_attention"]
    said = "More help: grader check 'my work.py' -a attention-numpy --component scaled_dot_product_attention --hint"
    out = " ".join(grader(*typed).out.split())
    assert out.endswith(said)
    assert f"{said} --hint" not in out
    further = grader(*typed, "--hint")
    assert "why " in further.out
    assert "More help" not in further.out, "that was the rubric's cap"


def test_more_help_says_no_path_where_none_was_typed(grader: Grader, no_scale: Path) -> None:
    no_scale.rename("attention.py")
    Path("grader.yaml").write_text("assignment: attention-numpy\npath: attention.py\n")
    assert grader("check").out.endswith("More help: grader check --hint\n")
    assert "More help: grader check attention.py --hint" in grader("ci").out


def test_the_place_of_a_syntax_error_is_told_once(grader: Grader, right: Path) -> None:
    right.write_text("def softmax(x)\n    return x\n")
    said = " ".join(grader("check", right, "-a", "attention-numpy").out.split())
    assert "SyntaxError: expected ':' (in attention.py, line 1: def softmax(x))." in said
    assert "So none of the 17 checks could be judged." in said


@pytest.mark.slow
def test_a_loop_without_end_is_one_finding_in_words(grader: Grader, right: Path) -> None:
    right.write_text(right.read_text().replace("    return output, weights", "    while True:\n        pass"))
    said = " ".join(
        grader("check", right, "-a", "attention-numpy", "--component", "scaled_dot_product_attention").out.split()
    )
    assert said.count("self_attention did not come back within 5 s.") == 1
    assert "The same stops 8 more checks." in said
    assert "TimeLimit" not in said


def test_torch_that_is_not_installed_is_said_with_the_cure(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    ran = grader("check", right, "-a", "transformer-from-scratch")
    assert ran.code == 2
    assert "transformer-from-scratch: needs torch, which is not installed. pip install" in ran.err


def test_the_name_of_another_part_is_not_taken_for_the_missing_one(grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("def positional_encoding(max_len, d_model): ...\ndef soft_max(x, axis=-1): ...\n")
    parts = ("--component", "softmax", "--component", "learned_positional_encoding")
    ran = grader("check", "work.py", "-a", "transformer-from-scratch", *parts)
    assert "found `soft_max`: is that it?" in ran.out
    assert "found `positional_encoding`" not in ran.out


def test_a_cell_is_named_in_words_in_notes_too(grader: Grader, tmp_path: Path, right: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for text in (right.read_text(), "1 / 0")
    ]
    (tmp_path / "work.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    ran = grader("check", "work.ipynb")
    assert ran.code == 0, ran.out
    assert "work.ipynb, cell 2: " in ran.out
    assert "[cell 2]" not in ran.out
