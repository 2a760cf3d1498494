"""The checks at work inside autograders that courses have: the real packages, in an environment of their own."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tomllib
import venv
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WANTED = Path(__file__).with_name("hosts.txt")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

STUDENT = """import numpy as np


def softmax(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T)
    return weights @ V, weights
"""
NAMED = "he scores are not divided by √d_k"


@pytest.fixture(scope="module")
def python() -> str:
    """The interpreter of an environment with the other autograders and this project, made once."""
    home = Path(sys.prefix) / "hosts"
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    made, mark = home / "made", sha256(WANTED.read_bytes() + repr(needs).encode()).hexdigest()
    interpreter = str(home / "bin/python")
    with home.with_name("hosts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # every worker of a run wants it
        if not made.is_file() or made.read_text() != mark:
            venv.create(home, clear=True, symlinks=True, with_pip=True)
            words = ["install", "-q", "--disable-pip-version-check", "-r", str(WANTED), "-e", str(ROOT)]
            subprocess.run([interpreter, "-m", "pip", *words], check=True, timeout=1000)
            made.write_text(mark)
    return interpreter


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "student.py").write_text(STUDENT)
    return tmp_path


def run(course: Path, *words: str) -> Any:
    path = f"{Path(words[0]).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HOME": str(course), "PYTHONPATH": "", "JUPYTER_PLATFORM_DIRS": "1"}
    return subprocess.run(words, cwd=course, env=env, capture_output=True, text=True, check=False, timeout=600)


def test_pytest_shows_the_finding(python: str, course: Path) -> None:
    (course / "test_student.py").write_text(
        "import student\n"
        "from grader import check\n\n\n"
        "def test_softmax():\n"
        "    assert check(student.softmax, 'softmax', assignment='attention-numpy')\n\n\n"
        "def test_attention():\n"
        "    assert check(student.self_attention, 'scaled_dot_product_attention', assignment='attention-numpy')\n"
    )
    ran = run(course, python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert ran.returncode == 1
    assert NAMED in ran.stdout
    assert "Hint: " in ran.stdout


def test_gradescope_utils_gives_partial_credit(python: str, course: Path) -> None:
    (course / "run_tests.py").write_text(
        "import unittest\n"
        "from gradescope_utils.autograder_utils.decorators import partial_credit, weight\n"
        "from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner\n"
        "import student\n"
        "from grader import check\n\n\n"
        "class TestStudent(unittest.TestCase):\n"
        "    @partial_credit(7)\n"
        "    def test_softmax(self, set_score=None):\n"
        "        found = check(student.softmax, 'softmax', assignment='attention-numpy')\n"
        "        set_score(7 * found.fraction)\n"
        "        print(found)\n\n"
        "    @weight(11)\n"
        "    def test_attention(self):\n"
        "        found = check(student.self_attention, 'scaled_dot_product_attention', assignment='attention-numpy')\n"
        "        found.require()\n\n\n"
        "with open('results.json', 'w') as file:\n"
        "    JSONTestRunner(visibility='visible', stream=file).run(\n"
        "        unittest.defaultTestLoader.loadTestsFromTestCase(TestStudent))\n"
    )
    ran = run(course, python, "run_tests.py")
    assert ran.returncode == 0, ran.stderr
    tests = {one["name"]: one for one in json.loads((course / "results.json").read_text())["tests"]}
    assert 0 < tests["test_softmax (__main__.TestStudent.test_softmax)"]["score"] < 7
    attention = tests["test_attention (__main__.TestStudent.test_attention)"]
    assert attention["score"] == 0
    assert NAMED in attention["output"]


def test_an_otter_test_file_says_what_is_wrong(python: str, course: Path) -> None:
    (course / "tests").mkdir()
    (course / "tests/q1.py").write_text(
        "from otter.test_files import test_case\n\n"
        "OK_FORMAT = False\n"
        "name = 'q1'\n"
        "points = 11\n\n\n"
        "@test_case(points=11)\n"
        "def test_attention(env):\n"
        "    from grader import check\n"
        "    assert check(env['self_attention'], 'scaled_dot_product_attention', assignment='attention-numpy')\n"
    )
    (course / "work.py").write_text(
        "import otter\n"
        "from student import *\n\n"
        "found = otter.Notebook(tests_dir='tests').check('q1', global_env=globals())\n"
        "print(found.grade, repr(found))\n"
    )
    ran = run(course, python, "work.py")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("0")
    assert NAMED in ran.stdout


def notebook(*cells: tuple[str, dict[str, Any]]) -> str:
    made = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {"nbgrader": meta} if meta else {}, "source": text,
         "outputs": [], "execution_count": None}
        for n, (text, meta) in enumerate(cells)
    ]  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def tagged(name: str, points: float, *, solution: bool) -> dict[str, Any]:
    cell = {"schema_version": 3, "grade_id": name, "grade": not solution, "solution": solution, "locked": not solution}
    return {**cell, "task": False, "cell_type": "code"} | ({} if solution else {"points": points})


def test_an_nbgrader_test_cell_counts(python: str, course: Path) -> None:
    ask = "from grader import check\nassert check({}, '{}', assignment='attention-numpy')\n"
    text = notebook(
        (STUDENT, tagged("work", 0, solution=True)),
        (
            ask.format("softmax", "softmax").replace("softmax,", "lambda x: softmax(x),"),
            tagged("easy", 3, solution=False),
        ),
        (ask.format("self_attention", "scaled_dot_product_attention"), tagged("hard", 8, solution=False)),
    )
    for folder in ("source/hw", "submitted/ada/hw"):
        (course / folder).mkdir(parents=True)
        (course / folder / "work.ipynb").write_text(text)
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'nlp'\n")
    script = str(Path(python).with_name("nbgrader"))
    for verb in ("generate_assignment", "autograde"):
        ran = run(course, script, verb, "hw", "--force", *(("--create",) if verb == "autograde" else ()))
        assert ran.returncode == 0, ran.stdout + ran.stderr
    look = (
        "from nbgrader.api import Gradebook\n"
        "with Gradebook('sqlite:///gradebook.db') as book:\n"
        "    print([(g.name, g.auto_score) for g in book.find_submission_notebook('work', 'hw', 'ada').grades])\n"
    )
    (course / "look.py").write_text(look)
    assert run(course, python, "look.py").stdout.strip() == "[('easy', 0.0), ('hard', 0.0)]"
    graded = (course / "autograded/ada/hw/work.ipynb").read_text()
    assert NAMED.replace("√", "\\u221a") in graded or NAMED in graded


def test_the_cell_magic_checks_a_cell_in_place(python: str, course: Path) -> None:
    head, first, second = STUDENT.split("\n\n\n")
    cells = [
        (f"{head}\n%load_ext grader", {}),
        (f"%%grade -a attention-numpy\n{first}", {}),
        (f"%%grade -a attention-numpy\n{second}", {}),
        (f"%%grade softmax\n{first.replace('np.exp(x)', 'np.exp(x - np.max(x, axis=-1, keepdims=True))')}", {}),
        ("%%grade -a attention-numpy\ny = 1", {}),
        ("from grader import grade\ngrade('student.py', 'attention-numpy', isolation='standard')", {}),
    ]  # fmt: skip
    (course / "lesson.ipynb").write_text(notebook(*cells))
    words = ["-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "lesson.ipynb", "--output", "out.ipynb"]
    ran = run(course, python, *words)
    assert ran.returncode == 0, ran.stderr
    outputs = [cell["outputs"] for cell in json.loads((course / "out.ipynb").read_text())["cells"]]
    plain = ["".join("".join(o.get("data", {}).get("text/plain", o.get("text", ""))) for o in some) for some in outputs]
    pages = ["".join("".join(o.get("data", {}).get("text/html", "")) for o in some) for some in outputs]
    assert "1000" in plain[1]
    assert "cell 2, line" in plain[1]
    assert NAMED in plain[2]
    assert "Try it yourself, in a new cell at the end" in plain[2]
    assert "Everything that was judged is right." in plain[3]
    assert plain[4].startswith("%%grade: the cell defines nothing that attention-numpy asks for")
    assert NAMED in plain[5]
    assert all(page.startswith("<iframe") for page in (pages[1], pages[2], pages[3], pages[5]))
