"""On a terminal it is said what takes its time, once a part; elsewhere nothing is."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.catalog import load_assignment
from grader.cli import waiting
from grader.sandbox.plain import Limits, Waiting

NUMPY = load_assignment("attention-numpy")


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("", "Still running the file from top to bottom: it is stopped after 10 s."),
        (
            "scaled_dot_product_attention",
            "Still running self_attention: a call is stopped after 5 s, all of it after 120 s.",
        ),
        ("integrity", "Still running integrity: a call is stopped after 5 s, all of it after 120 s."),
    ],
)
def test_what_is_run_is_called_as_in_the_hand_out_with_its_limits(group: str, said: str) -> None:
    assert waiting.line(Waiting(group, 2.1, Limits()), NUMPY) == said


class Glances:
    """Looks for so many times and is done; stands for the event that ends the watching."""

    def __init__(self, count: int) -> None:
        self.left = count

    def wait(self, seconds: float) -> bool:
        assert seconds == waiting.GLANCE
        self.left -= 1
        return self.left < 0


def test_a_part_is_named_once_and_only_after_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    seen = [None, ("softmax", 1.9), ("softmax", 2.1), ("softmax", 9.0), ("mask", 0.1), ("mask", 2.0), ("softmax", 3.0)]
    states = iter([found and Waiting(*found, Limits()) for found in seen])

    class Sandbox:
        @property
        def waiting(self) -> Waiting | None:
            return next(states)

    done: Any = Glances(len(seen))
    waiting._watch(Sandbox(), NUMPY, done)  # type: ignore[arg-type]
    lines = capsys.readouterr().err.splitlines()
    assert [text.partition(":")[0] for text in lines] == ["Still running softmax", "Still running mask"]


def test_nothing_is_watched_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with waiting.told_meanwhile(SimpleNamespace(), NUMPY):  # type: ignore[arg-type]
        assert threading.active_count() == before
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("terminal", [True, False])
def test_a_loop_without_end_is_not_waited_for_in_silence(
    tmp_path: Path, terminal: bool, hurried: Callable[[float], str]
) -> None:
    work = tmp_path / "loop.py"
    work.write_text("def softmax(x):\n    while True:\n        pass\n")
    words = [sys.executable, "-c", "from grader.cli import script; script()", "check", "loop.py"]
    # on a terminal it is said after PATIENCE; a loop that is seen to have no end is stopped after a fifth of the limit
    words += ["-a", hurried(5 * (waiting.PATIENCE + 1) if terminal else 0.5), "--component", "softmax"]
    ours, theirs = pty.openpty() if terminal else os.pipe()
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the terminal is gone
                break
            if not part:
                break
            said += part
        report = run.stdout.read().decode() if run.stdout else ""
    os.close(ours)
    assert "nothing leaves the loop at loop.py, line 2 (`while True:`)" in " ".join(report.split())
    expected = "Still running softmax: a call is stopped after" if terminal else ""
    assert said.decode().count("Still running") == bool(expected)
    assert expected in said.decode()


@pytest.mark.slow
def test_a_solution_is_told_which_points_wait_for_a_person(grader: Callable[..., Any], tmp_path: Path) -> None:
    sheet = tmp_path / "worksheet.md"
    sheet.write_text("**[why_scale]** The dot products get large.\n")
    ran = grader("assignment", "validate", "discovery-worksheet", "--against", sheet)
    assert " points; " in ran.out
    assert re.search(r"; \d+ more wait for a person$", ran.out, re.MULTILINE)
    told = [line for line in ran.out.splitlines() if line.startswith("! ")]
    assert any("waiting for a person: " in line and ".why_scale (" in line for line in told), told
    assert any(" lost: " in line and "(This was left empty)" in line for line in told), told
