"""What is wrong in every call, or for every part of a file, is one finding."""

from __future__ import annotations

import json

import pytest

from grader.catalog import load_assignment, load_rubric, rubric_beside
from grader.classroom.rescoring import rescored
from grader.model.outcome import Reason, Verdict
from grader.model.report import Settings
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.pipeline import grade
from grader.report import json_report
from grader.report.findings import findings
from grader.report.view import as_seen
from grader.sandbox.parent import Sandbox

RIGHT = """
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
def self_attention(Q, K, V):
    w = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return w @ V, w
"""
TORCH = """
import torch
def softmax(x):
    e = torch.exp(torch.as_tensor(x))
    return e / e.sum(-1, keepdim=True)
def self_attention(Q, K, V):
    Q, K, V = (torch.as_tensor(a) for a in (Q, K, V))
    w = softmax(Q @ K.T / Q.shape[-1] ** 0.5)
    return w @ V, w
"""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(level="auto") as one:
        yield one


def report_of(code: str, sandbox: Sandbox):
    assignment = load_assignment("attention-numpy")
    rubric = load_rubric(rubric_beside("attention-numpy"), assignment)
    module = CodeModule("attention", (CodeChunk(code, "attention.py"),))
    return grade(Submission("work", "attention.py", (module,)), Settings(assignment, rubric, "auto", 0), sandbox)


def test_a_package_that_the_homework_does_not_use_is_one_finding_and_no_point_waits(sandbox):
    report = report_of(TORCH, sandbox)
    (finding,) = findings(as_seen(report, "student"))
    assert finding.everything
    assert finding.lead.reason is Reason.PACKAGE
    assert "needs torch, which is not among the packages of this homework" in finding.lead.message
    assert report.pending == 0


def test_an_import_that_is_missing_is_one_finding_on_whatever_lines_it_is_needed_and_read_again(sandbox):
    code = RIGHT.replace("import numpy as np\n", "").replace(
        "    w = softmax(", "    np.seterr(all='ignore')\n    w = softmax("
    )
    report = report_of(code, sandbox)
    stored = rescored(json.loads(json_report.render(report, "staff")), report.assignment, report.rubric)
    for one in (report, stored):
        (finding,) = findings(as_seen(one, "student"))
        assert finding.lead.unimported == "numpy"
        assert len({outcome.location for outcome in (finding.lead, *finding.others)}) == 2


def test_a_part_that_needs_no_foreign_package_is_judged_beside_one_that_does(sandbox):
    half = TORCH[: TORCH.index("def self_attention")] + RIGHT[RIGHT.index("def self_attention") :]
    report = report_of(f"import numpy as np\n{half}", sandbox)
    judged = {outcome.verdict for mark in report.marks for outcome in mark.outcomes if outcome.component != "softmax"}
    assert Verdict.PASSED in judged
    assert Verdict.ERROR not in judged


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('{"output": w @ V, "weights": w}', "a dict (output, weights)"),
        ("dict(out=w @ V)", "a dict (out)"),
        ("str(w @ V)", "a str"),
    ],
)
def test_another_kind_of_value_is_told_once_by_its_name(value: str, said: str, sandbox):
    report = report_of(RIGHT.replace("return w @ V, w", f"return {value}"), sandbox)
    (finding,) = findings(as_seen(report, "student"))
    assert finding.lead.reason is Reason.EVERY_CALL
    assert f"returned {said} in every call; expected the values themselves: return output, weights" in finding.heading


def test_an_object_of_a_data_class_is_told_once_with_its_fields(sandbox):
    made = "from dataclasses import dataclass\n@dataclass\nclass Attended:\n    output: object\n    weights: object\n"
    report = report_of(made + RIGHT.replace("return w @ V, w", "return Attended(w @ V, w)"), sandbox)
    (finding,) = findings(as_seen(report, "student"))
    assert "returned an Attended (output, weights) in every call" in finding.heading


@pytest.mark.parametrize(
    ("line", "since"),
    [
        ('d = {"a": 1}; print(f"value {d["a"]}")', "3.12"),
        ('d = [1.0]; print(f"{d[0]:{".3f"}}")', "3.12"),
        ("type Vector = list[float]", "3.12"),
        ("def first[T](items: list[T]) -> T: return items[0]", "3.12"),
        ("class Box[T]: pass", "3.12"),
        ("try: pass\nexcept ValueError, TypeError: pass", "3.14"),
    ],
)
def test_syntax_of_a_newer_python_names_the_version_that_it_needs(line: str, since: str, sandbox):
    import sys

    if sys.version_info[:2] >= tuple(map(int, since.split("."))):
        assert report_of(RIGHT + line + "\n", sandbox).score
        return
    (finding,) = findings(as_seen(report_of(RIGHT + line + "\n", sandbox), "student"))
    assert f"needs Python {since} or later" in finding.heading
