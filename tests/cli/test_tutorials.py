"""The tutorials are typed as they are printed, each in an empty folder, and end as they say."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "examples/class"
GRADER = str(Path(sys.executable).with_name("grader"))
LOST = {"check", "ci", "assignment"}
"""Commands that end with 1 where points are lost."""


def lines(page: str) -> list[str]:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "page", ["tutorial-student", pytest.param("tutorial-instructor", marks=pytest.mark.slow), "tutorial-repository"]
)
@pytest.mark.timeout(400)
def test_a_tutorial_can_be_typed(page: str, tmp_path: Path) -> None:
    here = tmp_path
    shutil.copytree(CLASS, here / "class")
    shutil.copy(CLASS / "not_scaled.py", here / "attention.py")
    shutil.copy(ROOT / "examples/course/solution.py", here)
    shutil.copy(ROOT / "rubrics/attention-numpy.yaml", here / "rubric.yaml")
    typed = lines(page)
    assert len(typed) >= 2
    for line in typed:
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            here = (here / words[1]).resolve()
            assert here.is_dir()
            continue
        assert words[0] == "grader"
        ran = subprocess.run([GRADER, *words[1:]], cwd=here, capture_output=True, text=True, check=False, timeout=300)
        assert ran.returncode in ({0, 1} if words[1] in LOST else {0}), f"{line}\n{ran.stdout}{ran.stderr}"
        assert "Traceback" not in ran.stderr
