"""The README shows a report that the grader really prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def test_the_report_in_the_readme_is_a_real_one(grader: Callable[..., Any]) -> None:
    before, after = (
        (ROOT / "README.md").read_text(encoding="utf-8").split("`grader check examples/class/not_scaled.py`")
    )
    assert before.count("```") % 2 == 0
    shown = after.split("```")[1].strip("\n").splitlines()
    printed = grader("check", ROOT / "examples/class/not_scaled.py").out.splitlines()
    assert [line for line in shown if line not in printed] == []
