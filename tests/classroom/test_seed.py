"""Whether hidden cases can be foreseen is said where it matters: when a class is graded by the default seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import RIGHT, write

Grader = Callable[..., Any]
CLASS = ("grade", "class", "--isolation", "standard", "--jobs", "1", "-o", "results")
SAID = "Seed 0, the default: students can draw the hidden cases, too. Choose a number with --seed."


@pytest.mark.parametrize(("columns", "lines"), [("80", 2), ("140", 1)])
def test_the_default_seed_is_said_once_and_fits_the_terminal(
    grader: Grader, klass: Path, monkeypatch: pytest.MonkeyPatch, columns: str, lines: int
) -> None:
    assert klass.is_dir()
    monkeypatch.setenv("COLUMNS", columns)
    err = grader(*CLASS, "-a", "attention-numpy").err
    assert " ".join(err.split()).count(SAID) == 1
    assert len(err[err.index("Seed 0") : err.index("--seed.")].splitlines()) == lines


@pytest.mark.parametrize("given", ["option", "variable"])
def test_a_seed_of_your_own_needs_no_word(
    grader: Grader, klass: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    assert klass.is_dir()
    if given == "variable":
        monkeypatch.setenv("GRADER_SEED", "4711")
    ran = grader(*CLASS, "-a", "attention-numpy", *(["--seed", "4711"] if given == "option" else []))
    assert "Seed" not in ran.err + ran.out


def test_one_submission_needs_no_word(grader: Grader, tmp_path: Path) -> None:
    write(tmp_path, {"one/hw.py": RIGHT})
    ran = grader("grade", "one/hw.py", "-a", "attention-numpy", "--isolation", "standard")
    assert ran.code == 0
    assert "Seed" not in ran.err


def test_written_work_has_no_hidden_cases(grader: Grader, tmp_path: Path) -> None:
    write(tmp_path, {"class/ann.md": "# A\n", "class/bob.md": "# B\n"})
    ran = grader(*CLASS, "-a", "discovery-worksheet")
    assert ran.code == 0, ran.err
    assert "Seed" not in ran.err
