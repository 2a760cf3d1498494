"""What goes wrong in student code ends in a verdict that says so, never in a fault of the grader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Settings
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.pipeline import grade
from grader.sandbox.parent import Sandbox

SOFTMAX = """import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    {}
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(level="auto") as opened:
        yield opened


def outcomes(code: str, sandbox: Sandbox) -> list[Outcome]:
    assignment = load_assignment("attention-numpy")
    rubric = load_rubric(rubric_beside("attention-numpy"), assignment)
    work = Submission("work", "work.py", (CodeModule("work", (CodeChunk(code, "work.py"),)),), sha256="0")
    report = grade(work, Settings(assignment, rubric, "auto", 0, ()), sandbox)
    return [outcome for mark in report.marks for outcome in mark.outcomes]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("last_line", "verdict", "words"),
    [
        ("pass", "failed", "returned None"),
        ("return {'output': w @ V, 'weights': w}", "failed", "returned a dict (output, weights) in every call"),
        ("return 'output'", "failed", "returned a str in every call"),
        ("return w @ V", "failed", "returned an array of shape"),
        ("return w @ V, w, Q", "failed", "returned a tuple of 3"),
        ("return w @ V * np.nan, w", "failed", "not a finite number"),
        ("return w @ V + 0j, w", "failed", "expected real numbers"),
        ("return complex(1, 2)", "failed", "expected 2 values"),
        ("yield w @ V", "error", "returned a generator"),
        ("return {1, 2}", "error", "returned a set"),
        ("return self_attention", "error", "returned a function"),
        ("return (w @ V).astype(str), w", "error", "cannot be sent"),
        ("return np.zeros((5000, 5000)), w", "error", "arrays of more than"),
        ("raise NotImplementedError", "error", "not written yet"),
        ("return self_attention(Q, K, V)", "error", "calls itself without an end"),
        ("exit()", "error", "ends the program"),
        ("import os; os._exit(3)", "crashed", "exit status 3"),
        ("return np.ones(10**12), w", "memory", "Unable to allocate"),
        ("import subprocess; subprocess.run(['ls'])", "error", ""),
        ("return open('data.txt').read()", "error", ""),
        ("return input()", "error", "a function works with its arguments alone"),
    ],
)
def test_one_function_that_goes_wrong_leaves_the_other_its_points(sandbox, last_line, verdict, words):
    found = outcomes(SOFTMAX.format(last_line), sandbox)
    assert all(outcome.verdict is not Verdict.FAULT for outcome in found)
    assert all(o.verdict is Verdict.PASSED for o in found if o.component == "softmax")
    bad = [o for o in found if o.verdict not in (Verdict.PASSED, Verdict.SKIPPED)]
    assert str(bad[0].verdict) == verdict
    assert any(words in o.message for o in bad)


@pytest.mark.parametrize(
    ("code", "verdict", "words"),
    [
        ("", "missing", "softmax is not defined"),
        ("softmax = 3\nself_attention = None\n", "missing", "softmax is a value here"),
        ("from utils import softmax\n", "missing", "softmax is imported from utils, and that is not handed in"),
        ("def softMax(x): ...\n", "missing", "found `softMax`"),
        ("def softmax(x)\n    return x\n", "error", "line 1"),
        ("x = 1\n" * 399 + "for x in :\n", "error", "line 400"),
        ("def softmax(x):\n    print 'x'\n", "error", "Python 2"),
        ("def softmax(x):\n    e = 1\n\treturn e\n", "error", "tabs into spaces"),
        ("x = “a”\n", "error", "straight ones"),
        ("import sys\nsys.exit(0)\n", "error", "__main__"),
        ("import os\nos._exit(0)\n", "crashed", "exit status 0"),
        ("open('data.csv')\n", "error", "no files"),
        ("import numpy as np\nx = np.ones(10**12)\n", "memory", "Unable to allocate"),
        ("x = " + "(" * 300 + "1" + ")" * 300 + "\n", "error", "nested parentheses"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(sandbox, code, verdict, words):
    found = outcomes(code, sandbox)
    assert str(found[0].verdict) == verdict
    assert words in found[0].message
    assert len(found[0].message) < 1000
