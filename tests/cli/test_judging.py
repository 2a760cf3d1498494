"""`check` and `grade` judge real work; exit codes, files and what is printed are as promised."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Grader = Callable[..., Any]
ISOLATION = ("--isolation", "standard")


def test_right_work_is_told_so_and_exits_0(grader: Grader, right: Path) -> None:
    ran = grader("check", right)
    assert ran.code == 0
    assert "18 of 18 points" in ran.out
    assert "2 of the 20 points are for hidden checks, which are not shown." in ran.out
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
    from grader.sandbox.plain import IsolationError

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
