"""The zips, unpacked and run in folders laid out as each platform does, against what it documents of the result."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.catalog import list_assignments
from grader.cli import main
from grader.packaging import PLATFORMS, package
from grader.packaging.package import Wanted
from grader.packaging.wheel import wheel

CLASS = Path(__file__).parents[2] / "examples/class"
SEED = 40414243

NUMBER = {"type": "number"}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "tests"],
    "properties": {
        "score": NUMBER, "execution_time": {"type": "integer"}, "output": {"type": "string"},
        "output_format": FORMAT, "test_output_format": FORMAT, "test_name_format": FORMAT,
        "visibility": VISIBILITY, "stdout_visibility": VISIBILITY, "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {"type": "array", "items": {
            "type": "object", "additionalProperties": False,
            "properties": {
                "score": NUMBER, "max_score": NUMBER, "status": {"enum": ["passed", "failed"]},
                "name": {"type": "string"}, "name_format": FORMAT, "number": {"type": "string"},
                "output": {"type": "string"}, "output_format": FORMAT,
                "tags": {"type": "array", "items": {"type": "string"}}, "visibility": VISIBILITY,
                "extra_data": {"type": "object"},
            },
        }},
    },
}  # fmt: skip
PRAIRIELEARN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gradable": {"type": "boolean"}, "score": {"type": "number", "minimum": 0, "maximum": 1},
        "message": {"type": "string"}, "output": {"type": "string"},
        "format_errors": {"type": ["string", "array"], "items": {"type": "string"}},
        "tests": {"type": "array", "items": {
            "type": "object", "required": ["name", "points", "max_points"],
            "properties": {"name": {"type": "string"}, "points": NUMBER, "max_points": NUMBER,
                           "message": {"type": "string"}, "output": {"type": "string"}},
        }},
    },
    "if": {"properties": {"gradable": {"const": True}}}, "then": {"required": ["score", "tests"]},
}  # fmt: skip
TEXT = {"type": "string", "minLength": 1}
WHOLE = {"type": "integer", "minimum": 0}
CLASSROOM50: dict[str, Any] = {
    "type": "object",
    "required": ["schema", "classroom", "assignment", "owner", "submission", "commit", "release", "datetime", "score",
                 "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"}, "classroom": TEXT, "assignment": TEXT, "owner": TEXT,
        "assignment_type": {"enum": ["individual", "group", "team"]}, "submission": TEXT, "commit": TEXT,
        "release": TEXT, "review": TEXT, "score": WHOLE, "max-score": WHOLE,
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "tests": {"type": "array", "items": {
            "type": "object", "required": ["test-name", "passed", "score", "max-score"],
            "properties": {"test-name": TEXT, "passed": {"type": "boolean"}, "score": WHOLE, "max-score": WHOLE},
        }},
    },
}  # fmt: skip
METADATA = {
    "id": 123456, "created_at": "2018-07-01T14:22:32.365935-07:00", "submission_method": "upload",
    "assignment": {"title": "Attention", "total_points": "20.0"}, "previous_submissions": [],
    "users": [{"email": "ada@example.edu", "id": 1, "name": "Ada"}],
}  # fmt: skip


def unpacked(platform: str, folder: Path, **wanted: Any) -> Path:
    """The folder into which a platform has unpacked the zip, with the modes that it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    zipped = folder.with_suffix(".zip")
    zipped.write_bytes(package(Wanted(platform, "attention-numpy", seed=SEED, isolation="standard", **wanted)))
    with zipfile.ZipFile(zipped) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            path.chmod(entry.external_attr >> 16)
    return folder


def put_in_place(folder: Path) -> None:
    """What setup.sh and the Dockerfile make: the grader in an environment of its own; here this one."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/grader").symlink_to(Path(sys.executable).with_name("grader"))


def run(script: Path, env: Mapping[str, str], where: Path) -> subprocess.CompletedProcess[str]:
    kept = {"PATH": os.environ["PATH"], "HOME": str(where)}
    return subprocess.run([str(script)], cwd=where, env={**kept, **env}, capture_output=True, text=True, check=False)


TELLING = ("right", "not_scaled", "bytes")
WORKS = {path.stem: path.read_text() for path in CLASS.glob("*.py")} | {"bytes": "\0\1", "starter": "def softmax(x):\n"}


@pytest.fixture
def autograder(tmp_path: Path) -> Path:
    home = tmp_path / "autograder"
    unpacked("gradescope", home / "source")
    shutil.copy(home / "source/run_autograder", home / "run_autograder")
    (home / "submission").mkdir()
    (home / "results").mkdir()
    (home / "submission_metadata.json").write_text(json.dumps(METADATA))
    put_in_place(home / "grader")
    return home


@pytest.mark.parametrize(
    "work", [work if work in TELLING else pytest.param(work, marks=pytest.mark.slow) for work in WORKS]
)
def test_gradescope_gets_results_as_it_documents_them(autograder: Path, work: str) -> None:
    (autograder / "submission/attention.py").write_text(WORKS[work])
    ran = run(autograder / "run_autograder", {"AUTOGRADER": str(autograder)}, autograder)
    assert ran.returncode == 0, ran.stderr
    text = (autograder / "results/results.json").read_text(encoding="utf-8")
    found = json.loads(text)
    jsonschema.validate(found, GRADESCOPE)
    assert found["score"] == pytest.approx(sum(test["score"] for test in found["tests"]))
    assert str(SEED) not in text
    if work == "right":
        assert found["score"] == 20
        assert all(test["status"] == "passed" for test in found["tests"])
    if work == "not_scaled":
        shown = {test["name"]: test for test in found["tests"] if test["visibility"] == "visible"}
        attention = shown["Attention output and weights"]
        assert 0 < attention["score"] < attention["max_score"]
        assert attention["output"].startswith("### The scores are not divided by √d")
        hidden = [test for test in found["tests"] if test["visibility"] == "after_published"]
        assert hidden
        assert all(test["output"] == "" for test in hidden)


def test_gradescope_is_told_when_hidden_points_show(tmp_path: Path) -> None:
    home = tmp_path / "autograder"
    unpacked("gradescope", home / "source", hidden="after_due_date")
    (home / "submission").mkdir()
    (home / "submission/attention.py").write_text(WORKS["right"])
    put_in_place(home / "grader")
    run(home / "source/run_autograder", {"AUTOGRADER": str(home)}, home)
    found = json.loads((home / "results/results.json").read_text())
    assert {test["visibility"] for test in found["tests"]} == {"visible", "after_due_date"}


def test_what_could_give_answers_away_is_read_by_the_owner_alone(autograder: Path) -> None:
    (autograder / "submission/attention.py").write_text(WORKS["right"])
    run(autograder / "run_autograder", {"AUTOGRADER": str(autograder)}, autograder)
    assert (autograder / "source").stat().st_mode & 0o077 == 0
    assert (autograder / "results").stat().st_mode & 0o077 == 0


def test_where_isolation_is_not_to_be_had_there_is_no_grade(autograder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.sandbox.plain import IsolationError

    (autograder / "submission/attention.py").write_text(WORKS["right"])

    def refuse(*_: object, **__: object) -> None:
        raise IsolationError("strict", ("seccomp",))

    monkeypatch.setattr("grader.cli.packaging.judge", refuse)
    target = autograder / "results/results.json"
    words = ["package", "run", str(autograder / "source"), "--work", str(autograder / "submission"), "-o", str(target)]
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code
    assert not target.exists()


@pytest.mark.parametrize(
    "work", [work if work in TELLING else pytest.param(work, marks=pytest.mark.slow) for work in WORKS]
)
def test_prairielearn_gets_results_as_it_documents_them(tmp_path: Path, work: str) -> None:
    grade, opt = tmp_path / "grade", tmp_path / "opt"
    unpacked("prairielearn", opt / "package")
    put_in_place(opt / "grader")
    for folder in ("student", "data", "tests", "serverFilesCourse"):
        (grade / folder).mkdir(parents=True)
    (grade / "data/data.json").write_text(json.dumps({"params": {}, "submitted_answers": {}}))
    (grade / "student/attention.py").write_text(WORKS[work])
    ran = run(opt / "package/entrypoint.sh", {"GRADE": str(grade), "OPT": str(opt)}, tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = json.loads((grade / "results/results.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, PRAIRIELEARN)
    assert found["gradable"] is (work != "bytes")
    if work == "right":
        assert found["score"] == 1
    info = json.loads((opt / "package/info.json").read_text())["externalGradingOptions"]
    assert info["entrypoint"] == "/opt/package/entrypoint.sh"
    assert info["timeout"] <= 600


def test_classroom50_gets_a_result_as_it_documents_it(tmp_path: Path) -> None:
    bundle = unpacked("classroom50", tmp_path / "bundle")
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "attention.py").write_text(WORKS["not_scaled"])
    given = {
        "CLASSROOM": "nlp", "ASSIGNMENT": "hw1", "ASSIGNMENT_TYPE": "individual", "USERNAME": "ada", "OWNER": "ada",
        "SUBMISSION_TAG": "submit/2026-09-01T14-32-05Z-a1b2c3d", "COMMIT_URL": "https://github.com/o/r/commit/a1b2c3d",
        "RELEASE_URL": "https://github.com/o/r/releases/tag/x", "REVIEW_URL": "", "PATH": os.environ["PATH"],
    }  # fmt: skip
    words = [
        str(Path(sys.executable).with_name("grader")),
        "package",
        "run",
        str(bundle),
        "--work",
        ".",
        "-o",
        "result.json",
    ]
    subprocess.run(words, cwd=checkout, env=given, check=True, capture_output=True)
    found = json.loads((checkout / "result.json").read_text())
    jsonschema.validate(found, CLASSROOM50)
    assert found["score"] == sum(test["score"] for test in found["tests"])
    assert found["review"] == found["commit"]
    assert (checkout / "release-body.md").read_text().startswith("### classroom50 autograde: 14/18\n")


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    "assignment",
    [
        "attention-numpy",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("discovery-worksheet", "transformer-from-scratch")),
    ],
)
def test_a_zip_holds_what_it_needs_and_nothing_else(platform: str, assignment: str, tmp_path: Path) -> None:
    assert assignment in list_assignments()
    path = tmp_path / "made.zip"
    path.write_bytes(package(Wanted(platform, assignment)))
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        texts = {name: archive.read(name).decode() for name in PLATFORMS[platform]}
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        config = json.loads(archive.read("package.json"))
    rest = {name for name in names if not name.startswith("assignment/")}
    assert rest == {*PLATFORMS[platform], wheel()[0], "constraints.txt", "package.json", "rubric.yaml"}
    assert "assignment/assignment.yaml" in names
    assert not any("starter" in name for name in names)
    assert config["seed"] > 0
    assert not any(mark in text for text in texts.values() for mark in ("@WHEEL@", "@EXTRAS@", "@TITLE@"))
    extras = "[torch]" if assignment == "transformer-from-scratch" else ""
    assert any(wheel()[0] in text and extras in text for text in texts.values())
    for name, text in texts.items():
        if text.startswith("#!/usr/bin/env bash"):
            assert modes[name] == 0o755
            subprocess.run(["/bin/bash", "-n", "-c", text], check=True)


def test_two_packages_have_two_secrets_and_one_seed_gives_equal_bytes() -> None:
    made = [package(Wanted("gradescope", "attention-numpy")) for _ in range(2)]
    assert made[0] != made[1]
    same = [package(Wanted("gradescope", "attention-numpy", seed=7)) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_of_gradescope_with_what_setup_installs(tmp_path: Path) -> None:
    home = tmp_path / "autograder"
    unpacked("gradescope", home / "source")
    shutil.copy(home / "source/run_autograder", home / "run_autograder")
    (home / "submission").mkdir()
    (home / "submission/attention.py").write_text(WORKS["not_scaled"])
    ran = run(home / "source/setup.sh", {"AUTOGRADER": str(home)}, home)
    assert ran.returncode == 0, ran.stderr
    ran = run(home / "run_autograder", {"AUTOGRADER": str(home)}, home)
    assert ran.returncode == 0, ran.stderr
    found = json.loads((home / "results/results.json").read_text())
    jsonschema.validate(found, GRADESCOPE)
    assert 0 < found["score"] < 20
