"""What a newcomer types first: show, new, and the tab key."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from grader.catalog import assignment_file, rubric_beside, rubric_file
from grader.cli import app

Grader = Callable[..., Any]


def test_show_says_how_many_points_are_listed(grader: Grader) -> None:
    listed = "Build your own attention (attention-numpy, version 1), 20 points, 18 of them for what is listed here\n"
    assert grader("show", "attention-numpy").out.startswith(listed)
    assert grader("show", "attention-mechanics").out.splitlines()[0].endswith(", 60 points")


def test_new_into_this_folder_needs_no_cd(grader: Grader) -> None:
    out = grader("new", "attention-numpy", ".").out
    assert "in this folder." in out
    assert out.endswith("write attention.py, then: grader check\n")


def test_the_command_that_new_names_can_be_pasted(grader: Grader) -> None:
    out = grader("new", "attention-numpy", "my week 5").out
    assert out.endswith("then: cd 'my week 5' && grader check\n")


def test_an_assignment_with_checks_of_its_own_is_named_in_what_new_says_next(grader: Grader) -> None:
    shutil.copytree(assignment_file("attention-numpy").parent, "course")
    shutil.copy(rubric_beside("attention-numpy"), "course/rubric.yaml")
    Path("course/checks.py").write_text("")
    out = grader("new", "./course", "hw").out
    assert out.endswith("then: cd hw && grader check -a ../course\n")
    os.chdir("hw")
    assert grader("check", "-a", "../course").code == 1


@pytest.mark.parametrize("folder", ["taken", "/proc/nowhere"])
def test_new_where_nothing_can_be_written_says_so(grader: Grader, folder: str) -> None:
    Path("taken").touch()
    ran = grader("new", "attention-numpy", folder)
    assert ran.code == 2
    assert ran.err.startswith(f"grader: {folder}")
    assert "Name another folder" in ran.err
    assert [path.name for path in Path().iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        (["show"], "attention-n", ["attention-numpy"]),
        (["new"], "rederive", ["rederive-report"]),
        (["check", "-a"], "attention-m", ["attention-mechanics"]),
        (["check", "-a", "attention-numpy", "--component"], "s", ["softmax", "scaled_dot_product_attention"]),
        (["check", "-a", "nonsense", "--component"], "s", []),
        (["explain"], "sdpa-no-", ["sdpa-no-scale", "sdpa-no-softmax"]),
        (["check", "--format"], "h", ["html"]),
        ([], "ex", ["explain", "export"]),
    ],
)
def test_the_tab_key_offers_what_there_is(words: list[str], begun: str, offered: list[str]) -> None:
    found = ShellComplete(app, {}, "grader", "_GRADER_COMPLETE").get_completions(words, begun)
    assert [item.value for item in found] == offered


def test_the_tab_key_knows_the_parts_of_what_grader_yaml_names(grader: Grader) -> None:  # noqa: ARG001 - a scratch folder
    Path("grader.yaml").write_text("assignment: attention-mechanics\n")
    found = ShellComplete(app, {}, "grader", "_GRADER_COMPLETE").get_completions(["check", "--component"], "c")
    assert [item.value for item in found] == ["causal_mask"]


def test_a_homework_of_ones_own_is_found_from_the_folder_that_new_made(grader, tmp_path):
    own = tmp_path / "courses/own2"
    shutil.copytree(assignment_file("attention-numpy").parent, own)
    for file, source in (("assignment.yaml", own / "assignment.yaml"), ("rubric.yaml", rubric_file("attention-numpy"))):
        (own / file).write_text(source.read_text(encoding="utf-8").replace("attention-numpy", "own2"), encoding="utf-8")
    (own / "starter/data.npy").write_bytes(b"\x93NUMPY\0\xff")
    (own / "handout.md").write_text("# Übung", encoding="utf-16")
    assert grader("new", "courses/own2", "mine").code == 0
    assert (tmp_path / "mine/data.npy").read_bytes() == b"\x93NUMPY\0\xff"
    assert (tmp_path / "mine/handout.md").read_text(encoding="utf-8") == "# Übung"
    assert grader("check", "mine/attention.py").code == 1
    assert grader("ci", "--config", "mine/grader.yaml", "--isolation", "standard").code == 1


@pytest.mark.parametrize("assignment", ["attention-numpy", "attention-mechanics"])
def test_a_starter_as_a_notebook_is_judged_like_the_file(grader, tmp_path, assignment):
    plain, notebook = grader("new", assignment, "plain"), grader("new", assignment, "book", "--notebook")
    assert (plain.code, notebook.code) == (0, 0)
    (made,) = (tmp_path / "book").glob("*.ipynb")
    cells = ["".join(cell["source"]) for cell in json.loads(made.read_text(encoding="utf-8"))["cells"]]
    assert "%load_ext grader" in cells[1]
    checked = [cell for cell in cells if cell.startswith("%%grade\n")]
    text = next(path for path in (tmp_path / "plain").glob("*.py")).read_text(encoding="utf-8")
    assert len(checked) == text.count("\ndef ")
    scores = [json.loads(grader("check", folder, "--format", "json").out)["score"] for folder in ("plain", "book")]
    assert scores[0] == scores[1]
