"""A right answer never loses a point for its style or its packaging, and what is found in it is as the ledger says.

A case is a folder ``tests/submissions/<assignment>/<case>`` with ``expected.yaml``: ``what`` it shows, the
``components`` judged (left out: all), ``form`` (left out: the only file in ``work/``; ``folder`` or ``zip``), ``files``
that are made as the test runs, because their bytes or names would not survive a repository (text stands for its
Latin-1 bytes), and ``lost``, the only checks that may fail, where the hand-out asks for another form of the result.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.intake.loading import load
from grader.model.outcome import Verdict
from grader.model.report import Report, Settings
from grader.pipeline import grade, prepared
from grader.sandbox.parent import Sandbox
from grader.score import select
from tests.ledger import entries

ROOT = Path(__file__).resolve().parents[1] / "submissions"
CASES = sorted(path.parent for path in ROOT.glob("*/*/expected.yaml"))


def named(folder: Path) -> Any:
    marks = [pytest.mark.torch] if folder.parent.name == "transformer-from-scratch" else []
    return pytest.param(folder, id=f"{folder.parent.name}/{folder.name}", marks=marks)


@pytest.fixture(scope="module")
def numpy_sandbox() -> Iterator[Sandbox]:  # asked for by its name
    with Sandbox(level="auto") as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def torch_sandbox() -> Iterator[Sandbox]:
    pytest.importorskip("torch")
    with Sandbox(level="auto", torch=True) as sandbox:
        yield sandbox


def expectation(case: Path) -> dict[str, Any]:
    """Return what ``expected.yaml`` says of a case; nothing where it has none."""
    path = case / "expected.yaml"
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))) if path.exists() else {}


def laid_out(case: Path, expected: dict[str, Any], scratch: Path) -> Path:
    """Return the path to hand in, as a student would have it."""
    files = {name: text.encode("latin-1") for name, text in expected.get("files", {}).items()}
    there = [path for path in (case / "work").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    files |= {path.relative_to(case / "work").as_posix(): path.read_bytes() for path in there}
    if expected.get("form") == "zip":
        with zipfile.ZipFile(scratch / "work.zip", "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return scratch / "work.zip"
    for name, data in files.items():
        path = scratch / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return scratch / "work" if expected.get("form") == "folder" else scratch / "work" / next(iter(files))


def judged(path: Path, assignment_id: str, components: tuple[str, ...], sandbox: Sandbox) -> Report:
    assignment = load_assignment(assignment_id)
    rubric = select(load_rubric(rubric_beside(assignment_id), assignment), components)
    work = prepared(load(path), assignment)
    return grade(work, Settings(assignment, rubric, "auto", 0, components), sandbox)


@cache
def ledger(assignment_id: str) -> dict[str, list[str]]:
    """Return what the ledger says of every hand-in to an assignment."""
    found: dict[str, list[str]] = {}
    for line in entries.kept(f"handed_in.{assignment_id}"):
        if "subject" in json.loads(line):
            lines = found[json.loads(line)["subject"]] = []
        lines.append(line)
    return found


def test_the_ledger_holds_these_hand_ins_alone() -> None:
    courses = sorted({case.parent.name for case in CASES})
    assert [(name, sorted(ledger(name))) for name in courses] == [
        (name, sorted(case.name for case in CASES if case.parent.name == name)) for name in courses
    ]


@pytest.mark.sampled(20)
@pytest.mark.parametrize("case", [named(folder) for folder in CASES])
def test_it_keeps_its_points(case: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    expected = expectation(case)
    needs_torch = case.parent.name == "transformer-from-scratch"
    sandbox = request.getfixturevalue("torch_sandbox" if needs_torch else "numpy_sandbox")
    path = laid_out(case, expected, tmp_path)
    report = judged(path, case.parent.name, tuple(expected.get("components", ())), sandbox)
    outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
    failed = {one.check: one.message or str(one.verdict) for one in outcomes if one.verdict is not Verdict.PASSED}
    assert sorted(failed) == sorted(expected.get("lost", [])), failed
    if not failed:
        assert report.score == report.max_score
    assert [*entries.lines(case.name, outcomes)] == ledger(case.parent.name)[case.name]
