"""What people read fits their terminal, word by word; what programs read stays a line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grader.cli.lines import hanging, laid_out, table
from grader.report.words import counted

Grader = Callable[..., Any]
READ = [
    ("explain",), ("explain", "--component", "softmax"), ("explain", "sdpa-no-scale"), ("list",),
    ("show", "attention-numpy"), ("show", "transformer-from-scratch"), ("show", "discovery-worksheet"),
    ("formula", "attention", "softmax(QK^T)V"),
]  # fmt: skip


@pytest.mark.parametrize("columns", [60, 80, 140])
@pytest.mark.parametrize("words", READ, ids=" ".join)
def test_no_line_that_a_person_reads_is_wider_than_the_terminal(
    grader: Grader, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = grader(*words).out.splitlines()
    assert max(map(len, lines)) <= columns
    monkeypatch.setenv("COLUMNS", "1000")
    assert " ".join(" ".join(lines).split()) == " ".join(grader(*words).out.split())


@pytest.mark.parametrize("words", [words for words in READ if len(words) == 1 or "--component" in words], ids=" ".join)
def test_in_a_pipe_each_entry_is_one_line(
    grader: Grader, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    piped = grader(*words).out
    monkeypatch.setenv("COLUMNS", "1000")
    assert piped == grader(*words).out


@pytest.mark.parametrize("columns", [80, 140])
def test_code_of_several_lines_stands_side_by_side_where_that_fits(
    grader: Grader, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = grader("explain", "softmax-running-sum-not-rescaled").out.splitlines()
    assert max(map(len, lines)) <= columns
    assert (["wrong", "right"] in [line.split() for line in lines]) == (columns == 140)


def test_a_name_stands_beside_its_text_or_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("ab", "one two " * 5), ("abcd", "three")]
    monkeypatch.setenv("COLUMNS", "60")
    assert list(table(rows, "  ")) == ["  ab    one two one two one two one two one two ", "  abcd  three"]
    long = [("n" * 30, "one two three four five six seven eight")]
    assert list(table(long, "  ")) == ["  " + "n" * 30, "      one two three four five six seven eight"]
    assert laid_out("word " * 14, "    ") == " ".join(["word"] * 12) + "\n    word word"


def test_names_that_fold_stand_in_one_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = [(" 1 of 2  ", "a title of some length that does not fit", "n" * length) for length in (20, 50, 56)]
    names = [line for line in hanging(rows) if "[" in line]
    assert {line.index("[") for line in names} == {2}
    assert max(map(len, names)) == 60


@pytest.mark.parametrize(("count", "said"), [(0, "0 pairs"), (1, "1 pair"), (2, "2 pairs")])
def test_one_is_not_counted_in_the_plural(count: int, said: str) -> None:
    assert counted(count, "pair") == said
