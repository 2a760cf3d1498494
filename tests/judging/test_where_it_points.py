"""A finding of a class points at the line that computes, or that makes the attribute, and at the class else."""

from __future__ import annotations

from grader.catalog import load_assignment, load_rubric
from grader.model.outcome import Counterexample, Location, Outcome, Verdict
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.report.findings import Finding, findings
from grader.report.view import as_seen
from grader.sandbox.plain import Isolation
from grader.score import score, select

CODE = """from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.all = [nn.Linear(d_model, d_model)]

    def forward(self, query, key, value, mask=None):
        return query

def softmax(x, axis=-1):
    return x
"""
SHOWN = Counterexample({"x": "1"}, "1", "2")


def told(component: str, check: str, example: Counterexample | None, place: Location | None = None) -> Finding:
    assignment = load_assignment("transformer-from-scratch")
    rubric = select(load_rubric("transformer-from-scratch", assignment), [component])
    outcome = Outcome(
        f"{component}.{check}", component, "a title", Verdict.FAILED, 0, 1, counterexample=example, location=place
    )
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(CODE, "work.py"),)),))
    marks = score(rubric, [outcome])
    report = Report(assignment, rubric, submission, marks, Isolation("none", "none"), 0, "1", {})
    return next(one for one in findings(as_seen(report, "staff")) if one.lead.check == outcome.check)


def test_a_wrong_value_of_a_class_points_at_its_forward() -> None:
    found = told("multi_head_attention", "attends_to_itself", SHOWN)
    assert found.about() == "MultiHeadAttention.forward: work.py, line 8"
    assert found.place == Location("work.py", 8)


def test_what_no_value_shows_points_at_the_class() -> None:
    found = told("multi_head_attention", "parameters_are_registered", None)
    assert found.about() == "MultiHeadAttention: work.py, line 3"


def test_a_line_that_is_known_comes_first() -> None:
    found = told("multi_head_attention", "parameters_are_registered", None, Location("work.py", 6))
    assert found.about() == "work.py, line 6"


def test_a_function_points_at_its_first_line() -> None:
    assert told("softmax", "matches_the_definition", SHOWN).about() == "softmax: work.py, line 11"
