"""`grader ci` judges the work of a repository: exit codes, JUnit XML, and what GitHub is told."""

from __future__ import annotations

import re
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
def test_the_score_that_decides_is_told_apart_from_the_visible_one_where_that_is_asked_for(grader: Grader) -> None:
    said = r"Not reached: (\S+) of 20 points, (.+) needed\. The report shows (\S+) of 18 points; (.+)"
    for needed, told in (("19", "19"), ("95%", "19 (95%)")):
        last = " ".join(grader("ci", "--min-score", needed, "--show-hidden").out.split("\n")[-3:]).strip()
        found = re.fullmatch(said, last)
        assert found is not None, last
        assert found.group(2, 4) == (told, HIDDEN)
        assert 0 < float(found[1]) - float(found[3]) < 2, "what is hidden gave some of its two points"
        assert float(found[1]) < 19


@pytest.mark.parametrize(("needed", "asked"), [
    ((), "everything that is judged has to be right."),
    (("--min-score", "100%"), "20 (100%) of 20 points needed."),
])  # fmt: skip
def test_what_a_hidden_check_gave_is_nowhere_to_be_read(
    grader: Grader, right: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, needed: tuple[str, ...], asked: str
) -> None:
    text = right.read_text()
    (tmp_path / "grader.yaml").write_text(OWN)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    told = {}
    for name, work in (("right", text), ("wrong", text.replace("np.max(x, axis=-1, keepdims=True)", "np.max(x)"))):
        right.write_text(work)
        for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            monkeypatch.setenv(variable, f"{name}-{variable}")
        ran = grader("ci", *needed, "--code-quality", "quality.json", "--report", "page.json")
        assert ran.code == (name == "wrong")
        files = [f"{name}-GITHUB_STEP_SUMMARY", f"{name}-GITHUB_OUTPUT", "quality.json", "page.json"]
        kept = "\n".join((tmp_path / file).read_text() for file in files)
        guard = re.compile(r"::(?:stop-commands::)?[0-9a-f]{32}(?:::)?")
        told[name] = re.sub(r'"sha256": "\w+"', "", guard.sub("", f"{ran.out}\n{kept}"))
    assert f"Not reached: {asked} The report shows 18 of 18 points; hidden checks count too" in flat(told["wrong"])
    # Whether all in all it is reached is what the run is for; nothing else differs.
    assert flat(told["wrong"]).replace("Not reached", "Reached").replace("passed=false", "passed=true") == flat(
        told["right"]
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_score_that_is_reached_is_said_too(grader: Grader, right: Path, tmp_path: Path) -> None:
    (tmp_path / "grader.yaml").write_text(OWN + "show_hidden: true\n")
    assert right.is_file()
    assert "Reached: 20 of 20 points, 14 needed. " in flat(grader("ci", "--min-score", "14").out)
    assert "Reached: 20 of 20 points, and everything that is" in flat(grader("ci").out)


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


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_seed_is_refused_and_not_taken_for_none(
    grader: Grader, repository: Path, monkeypatch: pytest.MonkeyPatch, empty: str
) -> None:
    monkeypatch.setenv("GRADER_SEED", empty)
    ran = grader("ci")
    assert ran.code == 2
    assert "GRADER_SEED: the seed is empty" in ran.err or "not a valid integer" in ran.err
    assert not (repository / "out.xml").exists()
    monkeypatch.setenv("GRADER_SEED", empty)
    assert grader("ci", "--seed", "7").code == 1
