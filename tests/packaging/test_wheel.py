"""The distribution: what is built, and that it is enough where there is no checkout."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader import __version__
from grader.packaging.wheel import wheel

ROOT = Path(__file__).parents[2]
RIGHT = ROOT / "examples/class/right.py"


def built(kind: str, folder: Path) -> Path:
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


def test_the_wheel_of_a_package_holds_what_the_built_one_holds(tmp_path: Path) -> None:
    name, data = wheel()
    made = built("wheel", tmp_path)
    assert made.name == name
    held = []
    for archive in (zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(made)):
        with archive:
            assert archive.testzip() is None
            held.append({path for path in archive.namelist() if ".dist-info/licenses" not in path})
    assert held[0] == held[1]
    assert any(path.startswith("grader/_data/assignments/attention-numpy/starter/") for path in held[0])
    assert {"grader/py.typed", "grader/__init__.pyi"} <= held[0]


def test_the_source_distribution_builds_without_the_checkout(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path / "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "grader/__init__.py", "reference/__init__.py"} <= names
    assert not any(name.startswith((".venv", ".ci/", ".git/")) for name in names)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_wheel_is_enough_in_a_clean_environment_and_another_folder(tmp_path: Path) -> None:
    made = built("wheel", tmp_path / "dist")
    venv.create(tmp_path / "env", with_pip=True, symlinks=True)
    words = [
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "-c",
        str(ROOT / "constraints.txt"),
        str(made),
    ]
    subprocess.run([str(tmp_path / "env/bin/python"), *words], check=True, timeout=600)
    home = tmp_path / "home"
    home.mkdir()

    def grader(*arguments: str, where: Path = home) -> subprocess.CompletedProcess[str]:
        command: Sequence[str] = [str(tmp_path / "env/bin/grader"), *arguments]
        env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        return subprocess.run(command, cwd=where, env=env, capture_output=True, text=True, check=False, timeout=120)

    assert grader("--version").stdout.strip().endswith(__version__)
    assert "attention-numpy" in grader("list").stdout
    assert grader("new", "attention-numpy").returncode == 0
    assert grader("check", where=home / "attention-numpy").returncode == 1
    (home / "attention-numpy/attention.py").write_text(RIGHT.read_text())
    ran = grader("check", "--format", "json", where=home / "attention-numpy")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["score"] == 18
    assert grader("package", "gradescope", "-a", "attention-numpy").returncode == 0
    assert grader("explain", "sdpa-no-scale").returncode == 0
