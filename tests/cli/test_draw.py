"""`grader check --draw weights` shows what the student's own attention makes of a sentence, and judges nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RIGHT = (Path(__file__).resolve().parents[2] / "examples" / "class" / "right.py").read_text(encoding="utf-8")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "attention.py"
    path.write_text(RIGHT, encoding="utf-8")
    return path


def rows(out: str, name: str) -> list[list[float]]:
    """The numbers of a table below its name."""
    lines = out.split(f"\n{name}", 1)[1].splitlines()[1:4]
    return [[float(word.lstrip("░▒▓█ .:*#")) for word in line.split()[1:] if word not in "░▒▓█"] for line in lines]


def test_equal_words_have_equal_weights_and_a_row_sums_to_one(work: Path, grader: Callable[..., Any]) -> None:
    ran = grader("check", work, "-a", "attention-numpy", "--draw", "weights", "--sentence", "the cat the")
    assert ran.code == 0
    assert "yours" in ran.out
    yours = rows(ran.out, "yours")
    assert all(abs(sum(row) - 1) < 0.02 for row in yours)
    assert all(row[0] == row[2] for row in yours)
    assert yours[0] == yours[2]
    assert yours == rows(ran.out, "expected")
    assert (
        grader("check", work, "-a", "attention-numpy", "--draw", "weights", "--sentence", "the cat the").out == ran.out
    )


def test_a_slip_shows_in_the_drawing(work: Path, grader: Callable[..., Any]) -> None:
    work.write_text(RIGHT.replace(" / np.sqrt(K.shape[1])", ""), encoding="utf-8")
    out = grader("check", work, "-a", "attention-numpy", "--draw", "weights", "--sentence", "dogs love treats").out
    assert rows(out, "yours") != rows(out, "expected")


def test_the_drawing_is_a_page_with_the_words_as_text(work: Path, grader: Callable[..., Any], tmp_path: Path) -> None:
    words = (
        "check",
        work,
        "-a",
        "attention-numpy",
        "--draw",
        "weights",
        "--sentence",
        "<b>dogs</b> bite",
        "-o",
        "w.html",
    )
    assert grader(*words).code == 0
    page = (tmp_path / "w.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "<b>" not in page
    assert "&lt;b&gt;dogs" in page


@pytest.mark.parametrize(("code", "sentence", "said"), [
    (RIGHT, "", "has 0 words"),
    (RIGHT, "a b c d e f g h i j k l m", "has 13 words"),
    ("def self_attention(Q, K, V):\n    return 1 / 0\n", "a b", "ZeroDivisionError"),
    ("def softmax(x):\n    return x\n", "a b", "is not defined"),
    ("def self_attention(Q, K, V):\n    return V, V\n", "a b", "no weights of shape (2, 2)"),
])  # fmt: skip
def test_where_nothing_can_be_drawn_it_is_said_why(
    code: str, sentence: str, said: str, work: Path, grader: Callable[..., Any]
) -> None:
    work.write_text(code, encoding="utf-8")
    ran = grader("check", work, "-a", "attention-numpy", "--draw", "weights", "--sentence", sentence)
    assert ran.code == 2
    assert said in ran.err
