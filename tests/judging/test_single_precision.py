"""Functions of tensors that make tensors themselves, of torch's own float32, beside the float64 that they are given."""

from __future__ import annotations

import pytest

from grader.assessing.assess import assess
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox

pytestmark = pytest.mark.torch

ATTENTION = """
import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.zeros(scores.shape)
    weights[...] = scores.softmax(-1)
    return weights @ V, weights
"""


def lost(sandbox: Sandbox, code: str) -> list[Outcome]:
    name = "scaled_dot_product_attention"
    interface = Interface(name, name, conventions={"form": "function", "backend": "torch"})
    submission = Submission("s", "s.py", (CodeModule("student", (CodeChunk(code, "student.py"),)),))
    found = assess(submission, Assignment("a", "1", "A", (interface,), needs_torch=True), (name,), 3, sandbox)
    return [outcome for outcome in found.outcomes if outcome.verdict is not Verdict.PASSED]


def test_a_right_answer_in_single_precision_is_right(torch_sandbox: Sandbox) -> None:
    assert lost(torch_sandbox, ATTENTION) == []


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        (" / Q.shape[-1] ** 0.5", "", "sdpa-no-scale"),
        ("~mask", "mask", "sdpa-mask-polarity-inverted"),
        ("weights[...] = scores", "Q *= 2\n    weights[...] = scores", "sdpa-argument-changed-in-place"),
    ],
)
def test_a_mistake_beside_it_has_its_name(torch_sandbox: Sandbox, old: str, new: str, mistake: str) -> None:
    assert old in ATTENTION
    found = lost(torch_sandbox, ATTENTION.replace(old, new))
    assert {one.diagnosis.id for one in found if one.diagnosis} == {mistake}
    assert all(one.diagnosis for one in found)
