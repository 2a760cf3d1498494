"""Outputs that are closed, full or of no known form; errors of the user on one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli import printing

COMMAND = [sys.executable, "-c", "from grader.cli import script; script()"]
DEVICES = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``line`` in sh, where ``$grader`` is the command."""
    grader = f"{COMMAND[0]} -c '{COMMAND[2]}'"
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("$grader", grader)], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--nope",),
        ("check", "--format", "xml"),
        ("check", "a.py", "b.py"),
        ("check", "no\nsuch\x1b[31m.py"),
        ("grade",),
        ("schema",),
        ("formula", "nope", "x"),
        ("ci", "--seed", "abc"),
        ("new",),
        ("explain", "nope"),
    ],
)
def test_what_the_user_got_wrong_is_said_on_one_line(grader, words):
    ran = grader(*words)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("grader: ")
    assert "\x1b" not in ran.err


@pytest.mark.usefixtures("right", "no_scale")
def test_a_question_is_not_followed_by_a_full_stop(grader):
    assert "?. " not in grader("check").err


@pytest.mark.parametrize(("line", "code"), [("$grader list >&-", 0), ("$grader list >&- 2>&-", 0)])
def test_a_closed_output_is_no_fault(tmp_path, line, code):
    ran = shell(line, tmp_path)
    assert (ran.returncode, ran.stderr) == (code, "")


@DEVICES
def test_a_full_disk_is_no_fault_of_the_grader(tmp_path):
    ran = shell("$grader list > /dev/full", tmp_path)
    assert ran.returncode == 2
    assert ran.stderr == "grader: the output cannot be written (No space left on device)\n"


@DEVICES
def test_an_output_that_takes_nothing_is_named(grader, right):
    ran = grader("check", right, "-o", "/dev/full")
    assert ran.code == 2
    assert ran.err.splitlines()[-1].startswith("grader: /dev/full: cannot be written")


@pytest.mark.parametrize("ending", [".docx", ".csv", ".PDF"])
def test_a_file_name_of_another_form_is_refused_before_the_work_is_done(grader, right, tmp_path, ending):
    ran = grader("check", right, "-o", f"report{ending}")
    assert ran.code == 2
    assert f"no report is written as {ending.lower()}" in ran.err
    assert not (tmp_path / f"report{ending}").exists()


def test_an_ending_that_a_format_takes_for_its_own_is_no_other_programs(monkeypatch):
    for ending in printing.FOREIGN:
        monkeypatch.setitem(printing.SUFFIXES, ending, "markdown")
        assert printing.form_for(Path(f"report{ending}"), None) == "markdown"


def test_a_form_asked_for_goes_into_any_file(grader, right, tmp_path):
    assert grader("check", right, "-o", "report.html", "--format", "markdown").code == 0
    assert (tmp_path / "report.html").read_text().startswith("# ")


@pytest.mark.parametrize(
    "code",
    [
        "softmax = lambda x: x\nself_attention = lambda Q, K, V: (V, V)\n",
        "from functools import partial\ndef f(*a): ...\nsoftmax = partial(f, 1)\nself_attention = partial(f, 2)\n",
        "if True:\n    def softmax(x): ...\n    def self_attention(Q, K, V): ...\n",
        "class A:\n    def __call__(self, *a): ...\nsoftmax, self_attention = A(), A()\n",
    ],
)
def test_the_assignment_is_recognised_however_the_functions_are_defined(grader, tmp_path, code):
    (tmp_path / "work.py").write_text(code)
    ran = grader("check", "work.py")
    assert ran.code == 1
    assert "Assignment attention-numpy" in ran.err


def test_a_broken_link_does_not_suggest_itself(grader, tmp_path):
    (tmp_path / "work.py").symlink_to("gone.py")
    assert grader("check", "work.py").err == "grader: work.py: there is no such file or folder. Check the path.\n"


@pytest.mark.parametrize(
    "line",
    ["check hw.py -a NAME", "check NAME -a attention-numpy", "grade hw.py -a attention-numpy --rubric NAME",
     "grade hw.py -a attention-numpy -o NAME", "report NAME", "assignment validate NAME", "new NAME"],
)  # fmt: skip
def test_a_name_that_is_too_long_is_the_users(line: str, tmp_path: Path) -> None:
    (tmp_path / "hw.py").write_text("def softmax(x): return x\n")
    ran = shell(f"$grader {line.replace('NAME', 'a' * 5000)}", tmp_path)
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False), ran.stderr[-300:]
