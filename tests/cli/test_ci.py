"""`grader ci` judges the work of a repository: exit codes, JUnit XML, and what GitHub is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

Grader = Callable[..., Any]
HIDDEN = "the hidden checks gave 1 of 2 points."
OWN = "assignment: attention-numpy\npath: attention.py\nisolation: standard\n"


@pytest.fixture
def repository(no_scale: Path) -> Path:
    (no_scale.parent / "grader.yaml").write_text(
        "assignment: attention-numpy\npath: unscaled.py\nisolation: standard\njunit: out.xml\n"
    )
    return no_scale.parent


def test_ci_writes_junit_and_exits_1_when_points_are_lost(grader: Grader, repository: Path) -> None:
    ran = grader("ci")
    assert ran.code == 1
    root = ET.fromstring((repository / "out.xml").read_text())  # noqa: S314 - our own file
    assert int(root.get("failures", "0")) >= 1
    assert "::error" not in ran.out


@pytest.mark.parametrize(("needed", "code"), [("1", 0), ("19.99", 1), ("5%", 0), ("100%", 1)])
@pytest.mark.usefixtures("repository")
def test_the_score_that_is_needed_decides(grader: Grader, needed: str, code: int) -> None:
    assert grader("ci", "--min-score", needed).code == code


@pytest.mark.usefixtures("repository")
def test_the_score_that_decides_is_told_apart_from_the_visible_one(grader: Grader) -> None:
    said = "Not reached: 15.48 of 20 points, {} needed. The report shows 14.48 of 18 points; {}"
    for needed, told in (("19", "19"), ("95%", "19 (95%)")):
        last = " ".join(grader("ci", "--min-score", needed).out.split("\n")[-3:]).strip()
        assert last == said.format(told, HIDDEN)


@pytest.mark.parametrize(("needed", "asked"), [
    ((), "and everything that is judged has to be right"),
    (("--min-score", "100%"), "20 (100%) needed"),
])  # fmt: skip
def test_a_hidden_check_that_fails_alone_is_told_as_the_reason(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, needed: tuple[str, ...], asked: str
) -> None:
    right.write_text(right.read_text().replace("np.max(x, axis=-1, keepdims=True)", "np.max(x)"))
    (tmp_path / "grader.yaml").write_text(OWN)
    ran = grader("ci", *needed)
    assert ran.code == 1
    assert "18 of 18 points" in ran.out
    said = f"Not reached: 19 of 20 points, {asked}. The report shows 18 of 18 points; {HIDDEN}"
    assert said in " ".join(ran.out.split())
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    told = grader("ci", *needed).out.splitlines()[-1]
    assert told == f"::notice title=Build your own attention::{said.replace('%', '%25')}"
    assert f"**{said}**\n\n18 of 18 points shown\n" in (tmp_path / "summary.md").read_text()


def test_a_score_that_is_reached_is_said_too(grader: Grader, right: Path, tmp_path: Path) -> None:
    (tmp_path / "grader.yaml").write_text(OWN)
    assert right.is_file()
    assert "Reached: 20 of 20 points, 14 needed. " in " ".join(grader("ci", "--min-score", "14").out.split())
    assert "Reached: 20 of 20 points, and everything that is" in " ".join(grader("ci").out.split())


@pytest.mark.parametrize("needed", ["many", "-3", "nan", "%"])
@pytest.mark.usefixtures("repository")
def test_a_needed_score_that_is_none_is_refused(grader: Grader, needed: str) -> None:
    ran = grader("ci", f"--min-score={needed}")
    assert ran.code == 2
    assert "Write 14 or 80%." in ran.err


@pytest.mark.usefixtures("repository")
def test_on_github_it_annotates_and_summarises(grader: Grader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    ran = grader("ci")
    lines = ran.out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    token = lines[0].removeprefix("::stop-commands::")
    resumed = lines.index(f"::{token}::")
    assert any(line.startswith("::error ") for line in lines[resumed:])
    assert not any(line.startswith("::error ") for line in lines[:resumed])
    assert summary.read_text().startswith("# Build your own attention\n")


def test_unreadable_work_still_leaves_a_junit_file(grader: Grader, repository: Path) -> None:
    (repository / "unscaled.py").write_bytes(b"\x00\x01\x02")
    assert grader("ci").code == 2
    root = ET.fromstring((repository / "out.xml").read_text())  # noqa: S314 - our own file
    assert root.get("errors") == "1"
