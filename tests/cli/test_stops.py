"""A file that fails on its way: what else stands in it counts, and the report says where it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grader = Callable[..., Any]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('data = np.loadtxt("embeddings.txt")', "FileNotFoundError: embeddings.txt not found"),
        ("assert softmax(np.zeros(2))[0] == 1", "AssertionError"),
        ('who = input("name? ")', "nobody sits at the keyboard"),
        ("plot(softmax)", "NameError: name 'plot' is not defined"),
        ("exit()", "SystemExit"),
    ],
)
def test_a_right_file_whose_last_line_raises_keeps_its_points_and_is_told_the_line(
    grader: Grader, right: Path, line: str, said: str
) -> None:
    number = right.read_text().count("\n") + 1
    right.write_text(right.read_text() + line + "\n")
    ran = grader("check", right, "-a", "attention-numpy")
    out = " ".join(ran.out.split())
    assert (ran.code, "18 of 18 points" in out) == (0, True)
    assert f"attention.py fails at line {number}; what else it defines was judged." in out
    assert said in out


def test_a_wrong_file_whose_last_line_raises_is_wrong_and_the_mistake_is_named(grader: Grader, no_scale: Path) -> None:
    alone = grader("check", no_scale, "-a", "attention-numpy", "--format", "json").out
    no_scale.write_text(no_scale.read_text() + "1 / 0\n")
    broken = grader("check", no_scale, "-a", "attention-numpy", "--format", "json").out
    assert json.loads(broken)["score"] == json.loads(alone)["score"]
    named = {check["misconception"]["id"] for check in json.loads(broken)["checks"] if check["misconception"]}
    assert named == {"sdpa-no-scale"}


def test_what_stands_below_the_line_is_judged_as_well(grader: Grader, right: Path) -> None:
    softmax, attention = right.read_text().split("def self_attention")
    right.write_text(f"{softmax}1 / 0\n\n\ndef self_attention{attention}")
    ran = grader("check", right, "-a", "attention-numpy")
    assert (ran.code, "18 of 18 points" in ran.out, "ZeroDivisionError" in ran.out) == (0, True, True)


def test_what_stands_nowhere_is_not_defined(grader: Grader, right: Path) -> None:
    right.write_text(right.read_text().split("def self_attention")[0] + "1 / 0\n")
    checks = json.loads(grader("check", right, "-a", "attention-numpy", "--format", "json").out)["checks"]
    assert {check["verdict"] for check in checks} == {"passed", "missing"}


def test_a_wrong_function_below_the_line_does_not_hide_behind_a_right_one_above(grader: Grader, right: Path) -> None:
    right.write_text(right.read_text() + "1 / 0\n\n\ndef softmax(x):\n    return x\n")
    ran = grader("check", right, "-a", "attention-numpy")
    assert (ran.code, "18 of 18 points" in ran.out) == (1, False)
    assert "ZeroDivisionError" in ran.out


def test_a_call_of_ones_own_with_too_many_arguments_is_not_the_hand_outs(grader: Grader, right: Path) -> None:
    right.write_text(right.read_text() + "softmax(1, 2, 3)\n")
    out = " ".join(grader("check", right, "-a", "attention-numpy").out.split())
    assert "your function takes 1 argument and the call on that line gives 3" in out
    right.write_text(right.read_text().replace("softmax(scores)", "softmax(scores, 2, 3)"))
    inside = " ".join(grader("check", right, "-a", "attention-numpy").out.split())
    assert "hand-out's call gives" not in inside
    right.write_text(right.read_text().replace("def softmax(x)", "def softmax()"))
    outside = " ".join(grader("check", right, "-a", "attention-numpy", "--component", "softmax").out.split())
    assert "the hand-out's call gives 1" in outside


@pytest.mark.parametrize(
    ("order", "code", "said"),
    [
        ("{attention}|{softmax}\nassert softmax(np.zeros(2)).sum() == 1|{imports}", 0, "it was run again behind"),
        ("{imports}|{attention}|{softmax}\nsoftmax.scale = scale", 0, "cell 3: NameError: name 'scale'"),
        ("{imports}|{attention}|1 / 0\n{softmax}", 1, "softmax is not defined: what defines it did not run (ZeroDiv"),
    ],
)
def test_the_order_of_cells_costs_nothing_and_a_part_that_did_not_run_is_told_so(
    grader: Grader, right: Path, order: str, code: int, said: str
) -> None:
    imports, softmax, attention = right.read_text().split("\n\n\n")
    sources = [one.format(imports=imports, softmax=softmax, attention=attention) for one in order.split("|")]
    cells = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    book = right.with_suffix(".ipynb")
    book.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    ran = grader("check", book, "-a", "attention-numpy")
    assert ran.code == code, ran.out
    assert said in " ".join(ran.out.split())
    assert "Not written yet" not in ran.out
