"""The documentation is built with warnings as errors, its reference from the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.auditing.explain import entries
from grader.cli import VERBS
from grader.components import names

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_site_is_built_without_a_warning_and_knows_everything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280)
    assert ran.returncode == 0, ran.stderr
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "reference").glob("*.html")}
    assert all(f"grader {verb}" in pages["commands"] for verb in VERBS)
    assert all(f">{name}, as a " in pages["checks"] for name in names())
    assert all(f'id="{entry.id}"' in pages["mistakes"] for entry in entries())


def test_every_page_is_in_the_navigation() -> None:
    told = set(re.findall(r"([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} <= told
