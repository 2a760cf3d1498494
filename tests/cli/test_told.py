"""What a report in the terminal says where work is missing, cannot be judged, or fails in a special way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grader = Callable[..., Any]


def test_what_cannot_be_judged_is_counted_as_it_would_have_been(grader: Grader, right: Path) -> None:
    counted = re.findall(r"(\d+) of (\d+) checks", grader("check", right, "-a", "attention-numpy").out)
    right.write_text(right.read_text().replace("def self_attention", "def mine"))
    checks = json.loads(grader("check", right, "-a", "attention-numpy", "--format", "json").out)["checks"]
    missing = [check["verdict"] for check in checks if check["component"] != "softmax"]
    assert set(missing) == {"missing"}
    assert (str(len(missing)),) * 2 in counted


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
    assert said.startswith("needs scipy, which is not among the packages of this homework")
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


@pytest.mark.parametrize(
    ("answer", "told"),
    [("**[rnn_gpus]** 12", "You wrote “12”."), ("**[why_scale]** They are nicer", "A person reads this (3 words).")],
)
def test_one_answer_on_an_empty_sheet_is_not_left_empty(grader: Grader, answer: str, told: str) -> None:
    Path("sheet.md").write_text(f"{answer}\n")
    out = " ".join(grader("check", "sheet.md", "-a", "discovery-worksheet").out.split())
    assert told in out
    assert out.count("missing") == 7, "of eight sections"


def test_no_more_help_is_offered_for_a_sheet_whose_hints_are_there(grader: Grader) -> None:
    Path("sheet.md").write_text("**[rnn_gpus]** 12\n")
    out = grader("check", "sheet.md", "-a", "discovery-worksheet").out
    assert "What do the other GPUs do" in " ".join(out.split())
    assert "More help" not in out


def test_more_help_says_no_path_where_none_was_typed(grader: Grader, no_scale: Path) -> None:
    no_scale.rename("attention.py")
    Path("grader.yaml").write_text("assignment: attention-numpy\npath: attention.py\n")
    assert grader("check").out.endswith("More help: grader check --hint\n")
    assert "More help: grader check attention.py --hint" in grader("ci").out


def test_the_place_of_a_syntax_error_is_told_once(grader: Grader, right: Path) -> None:
    right.write_text("def softmax(x)\n    return x\n")
    said = " ".join(grader("check", right, "-a", "attention-numpy").out.split())
    assert "SyntaxError: expected ':' (in attention.py, line 1: def softmax(x))." in said
    checks = json.loads(grader("check", right, "-a", "attention-numpy", "--format", "json").out)["checks"]
    assert f"So none of the {len(checks)} checks could be judged." in said


@pytest.mark.slow
def test_a_loop_without_end_is_one_finding_in_words(
    grader: Grader, right: Path, hurried: Callable[[float], str]
) -> None:
    right.write_text(right.read_text().replace("    return output, weights", "    while True:\n        pass"))
    said = " ".join(
        grader("check", right, "-a", hurried(0.5), "--component", "scaled_dot_product_attention").out.split()
    )
    assert said.count("self_attention did not come back: nothing leaves the loop at attention.py, ") == 1
    assert "The same stops 8 more checks." in said
    assert "TimeLimit" not in said


def test_torch_that_is_not_installed_is_said_with_the_cure(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    ran = grader("check", right, "-a", "transformer-from-scratch")
    assert ran.code == 2
    assert "transformer-from-scratch: needs torch, which is not installed. pip install" in ran.err


@pytest.mark.slow
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


def test_a_report_in_a_file_is_told_with_the_score_that_it_shows(grader: Grader, right: Path) -> None:
    ran = grader("check", right, "-a", "attention-numpy", "-o", "report.html")
    assert ran.out == ""
    assert ran.err == "18 of 18 points; see report.html\n"
