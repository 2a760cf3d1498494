"""The lines under "Try it yourself" are copied from what is printed, pasted, and show what the report says."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grader = Callable[..., Any]
LONG_NAME = "my_solution_of_the_homework_on_attention_is_all_you_need"


def offered(printed: str) -> str:
    """What stands between the invitation and the next empty line, to the letter."""
    after = printed[printed.index("Try it yourself") :].split("\n", 1)[1]
    return after.split("\n\n", 1)[0]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["attention.py", "hw 1.py", "2.py", f"{LONG_NAME}.py"])
@pytest.mark.parametrize("columns", [60, 80, 140])
def test_a_files_lines_run_as_printed(
    grader: Grader, monkeypatch: pytest.MonkeyPatch, no_scale: Path, name: str, columns: int, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    no_scale.rename(name)
    code = offered(grader("check", name, "-a", "attention-numpy").out)
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "0.98201379, 0.01798621" in ran.stdout, f"{code}\n{ran.stderr}"


def test_a_notebooks_lines_run_below_its_cells(grader: Grader, no_scale: Path) -> None:
    source = no_scale.read_text()
    no_scale.unlink()
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source, "execution_count": None}]
    Path("hw.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    printed = grader("check", "hw.ipynb", "-a", "attention-numpy").out
    code = offered(printed)
    session: dict[str, Any] = {}
    exec(source, session)  # noqa: S102 - the notebook's own cell
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, session)  # noqa: S102 - what is pasted below it
    assert "Try it yourself, in a new cell at the end:" in printed
    assert "hw" not in code
    assert "0.98201379, 0.01798621" in out.getvalue()
