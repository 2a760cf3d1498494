"""What a forbidden call computes earns nothing; a comparison beside the work costs nothing."""

# ruff: noqa: E501 - tables of code
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from grader.assessing.assess import assess
from grader.catalog import load_assignment, load_rubric
from grader.model.outcome import Outcome, Verdict
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.report import terminal
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Isolation
from grader.score import score, select

pytestmark = pytest.mark.torch

ASSIGNMENT = load_assignment("transformer-from-scratch")
RUBRIC = load_rubric("transformer-from-scratch", ASSIGNMENT)
TOP = "import numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
OWN = """def own(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
def lib(x, axis=-1):
    return torch.softmax(torch.as_tensor(np.asarray(x) * 1.0), axis).numpy().astype(np.result_type(x, np.float16))
"""
Judge = Callable[..., tuple[Outcome, ...]]


@pytest.fixture
def judged(torch_sandbox: Sandbox) -> Judge:
    def run(code: str, *names: str) -> tuple[Outcome, ...]:
        submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(TOP + code, "work.py"),)),))
        return assess(submission, ASSIGNMENT, (*names, "integrity"), 7, torch_sandbox).outcomes

    return run


def verdicts(outcomes: Sequence[Outcome], name: str) -> set[Verdict]:
    return {outcome.verdict for outcome in outcomes if outcome.component == name}


def honesty(outcomes: Sequence[Outcome]) -> Outcome:
    return next(outcome for outcome in outcomes if outcome.check == "integrity.uses_no_forbidden_call")


def line_of(code: str, mark: str) -> int:
    return next(at for at, line in enumerate((TOP + code).splitlines(), 1) if mark in line)


DOES = {
    "a call": "def softmax(x, axis=-1): return lib(x, axis)",
    "under the name itself": "softmax = lib",
    "where a case is large": "def softmax(x, axis=-1): return lib(x, axis) if x.ndim > 2 else own(x, axis)",
    "where nothing fails": "def softmax(x, axis=-1):\n    try: return lib(x, axis)\n    except ValueError: return own(x, axis)",
    "remembered by its input": "KEPT = {}\ndef softmax(x, axis=-1):\n    key = (x.tobytes(), x.shape, x.dtype, axis)\n"
    "    return KEPT.setdefault(key, lib(x, axis)).copy()",
    "with a sum that is checked": "def softmax(x, axis=-1):\n    y = lib(x, axis)\n"
    "    assert np.allclose(y.sum(axis), 1) and (y >= 0).all()\n    return y",
    "made even": "def softmax(x, axis=-1):\n    y = lib(x, axis)\n    return (y / y.sum(axis, keepdims=True)).astype(y.dtype)",
    "by its logarithm": "def softmax(x, axis=-1):\n    t = torch.as_tensor(np.asarray(x) * 1.0)\n"
    "    return F.log_softmax(t, axis).exp().numpy()",
    "by an attention": "def softmax(x, axis=-1):\n    t = torch.as_tensor(np.moveaxis(np.asarray(x) * 1.0, axis, -1))\n"
    "    t = t[None] if t.ndim == 1 else t\n    e = torch.eye(t.shape[-1], dtype=t.dtype).expand(*t.shape[:-2], -1, -1)\n"
    "    y = F.scaled_dot_product_attention(t, e, e, scale=1.0).numpy().reshape(np.moveaxis(x, axis, -1).shape)\n"
    "    return np.moveaxis(y, -1, axis)",
    "in a thread": "import threading\ndef softmax(x, axis=-1):\n    out = []\n"
    "    w = threading.Thread(target=lambda: out.append(lib(x, axis)))\n    w.start(); w.join()\n    return out[0]",
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("code", DOES.values(), ids=DOES)
def test_a_component_that_a_forbidden_call_does_earns_nothing_and_the_line_is_told(judged: Judge, code: str) -> None:
    outcomes = judged(OWN + code, "softmax")
    assert verdicts(outcomes, "softmax") == {Verdict.FAILED}
    assert sum(mark.points for mark in score(select(RUBRIC, ["softmax"]), outcomes)) == 0
    mark = "log_softmax" if "log_softmax" in code else "F.scaled" if "F.scaled" in code else "torch.softmax"
    told = next(outcome for outcome in outcomes if outcome.component == "softmax" and "not allowed" in outcome.message)
    assert told.diagnosis is not None
    assert told.diagnosis.id == "integrity-forbidden-call"
    assert told.location is not None
    assert told.location.line == line_of(OWN + code, mark)
    assert told.message.endswith(" is not allowed in softmax")
    assert (honesty(outcomes).verdict, honesty(outcomes).message) == (Verdict.FAILED, told.message)


BESIDE = {
    "a self-test at the bottom": "softmax = own\nassert np.allclose(softmax(np.ones(3)), lib(np.ones(3)))",
    "an assertion inside": "def softmax(x, axis=-1):\n    y = own(x, axis)\n    assert np.allclose(y, lib(x, axis))\n    return y",
    "an assertion of a library": "def softmax(x, axis=-1):\n    y = own(x, axis)\n"
    "    np.testing.assert_allclose(y, lib(x, axis), rtol=1e-4)\n    return y",
    "a warning": "def softmax(x, axis=-1):\n    y = own(x, axis)\n"
    "    if abs(y - lib(x, axis)).max() > 1e-3: print('differs')\n    return y",
    "a difference that is kept": "ERRORS = []\ndef softmax(x, axis=-1):\n    y = own(x, axis)\n"
    "    ERRORS.append(abs(y - lib(x, axis)).max())\n    return y",
    "a function of its own": "softmax = own\ndef check(x): return torch.softmax(x, -1)",
    "a name alone": "soft = torch.softmax\nsoftmax = own",
    "logsumexp": "def softmax(x, axis=-1):\n    t = torch.as_tensor(np.asarray(x) * 1.0)\n"
    "    return (t - t.logsumexp(axis, keepdim=True)).exp().numpy()",
}  # fmt: skip


@pytest.mark.parametrize("code", BESIDE.values(), ids=BESIDE)
def test_a_comparison_with_the_library_costs_nothing(judged: Judge, code: str) -> None:
    outcomes = judged(OWN + code, "softmax")
    assert verdicts(outcomes, "softmax") == {Verdict.PASSED}
    seen = honesty(outcomes)
    assert (seen.verdict, seen.diagnosis, seen.message) == (Verdict.PASSED, None, "")
    called = any(word in code for word in ("ssert", "abs(y")) and "bottom" not in code and "softmax = own" not in code
    assert (seen.staff_note == "torch.softmax is called, and does not do the work (work.py, line 9)") is called


def test_a_comparison_to_the_last_bit_waits_for_a_person(judged: Judge) -> None:
    code = "def softmax(x, axis=-1):\n    y = lib(x, axis)\n    assert (y == lib(x, axis)).all()\n"
    code += "    if abs(y - own(x, axis)).max() > 1e-12: raise RuntimeError\n    return own(x, axis)"
    outcomes = judged(OWN + code.replace("own(x, axis)", "own(x, axis).astype(y.dtype)"), "softmax")
    seen = verdicts(outcomes, "softmax")
    assert seen <= {Verdict.UNDETERMINED, Verdict.FAILED, Verdict.ERROR}
    waiting = [outcome for outcome in outcomes if outcome.verdict is Verdict.UNDETERMINED]
    text = "whether torch.softmax does the work of softmax, where it is not allowed, is for a person to see"
    assert all(outcome.message == f"{text} (work.py, line 9)" for outcome in waiting)
    assert not honesty(outcomes).diagnosis


BLOCK = "class {0}(nn.Module):\n    def __init__(self, *sizes):\n        super().__init__()\n        self.a = {1}\n"
HEADS = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads: raise ValueError("indivisible")
        self.h, self.a = num_heads, nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    def forward(self, q, k, v, mask=None):
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            mask = ~mask.expand(len(q), self.h, q.shape[1], k.shape[1]).reshape(-1, q.shape[1], k.shape[1])
        return self.a(q, k, v, attn_mask=mask, need_weights=False)[0]
"""
LAYER = """class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.a, self.n, self.m = MultiHeadAttention(d_model, num_heads), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.f = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.d = nn.Dropout(dropout)
    def forward(self, x, mask=None):
        x = self.n(x + self.d(self.a(x, x, x, mask)))
        return self.m(x + self.d(self.f(x)))
"""
ATTENTION = """def scaled_dot_product_attention(Q, K, V, mask=None):
    q, k, v = (torch.as_tensor(np.asarray(a, float)) for a in (Q, K, V))
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None: s = s.masked_fill(~torch.as_tensor(np.asarray(mask)), -torch.inf)
    w = torch.softmax(s, -1)
    return (w @ v).numpy(), w.numpy()
"""


def test_a_block_around_a_borrowed_part_keeps_its_points(judged: Judge) -> None:
    outcomes = judged(HEADS + LAYER, "multi_head_attention", "encoder_layer")
    assert verdicts(outcomes, "multi_head_attention") == {Verdict.FAILED}
    assert verdicts(outcomes, "encoder_layer") == {Verdict.PASSED}
    assert honesty(outcomes).message == "torch.nn.MultiheadAttention is not allowed in MultiHeadAttention"
    assert str(honesty(outcomes).location) == f"work.py, line {line_of(HEADS, 'return self.a(')}"


def test_a_part_that_is_not_judged_now_is_none_of_the_block_s_work_either(judged: Judge) -> None:
    assert verdicts(judged(HEADS + LAYER, "encoder_layer"), "encoder_layer") == {Verdict.PASSED}


def test_a_helper_of_any_other_name_is_the_block_s_own_work(judged: Judge) -> None:
    code = (HEADS + LAYER).replace("MultiHeadAttention(", "Heads(")
    assert verdicts(judged(code, "encoder_layer"), "encoder_layer") == {Verdict.FAILED}


def test_what_is_listed_for_softmax_is_free_elsewhere(judged: Judge) -> None:
    outcomes = judged(ATTENTION, "scaled_dot_product_attention")
    assert verdicts(outcomes, "scaled_dot_product_attention") == {Verdict.PASSED}
    assert honesty(outcomes).verdict is Verdict.PASSED


def test_softmax_does_not_go_free_through_a_part_to_which_it_is_allowed(judged: Judge) -> None:
    code = ATTENTION + (
        "def softmax(x, axis=-1):\n    x = np.moveaxis(np.asarray(x) * 1.0, axis, -1)\n    e = np.eye(x.shape[-1])\n"
        "    s = x[..., None, :] * x.shape[-1] ** 0.5\n"
        "    return np.moveaxis(scaled_dot_product_attention(s, e, e)[0][..., 0, :], -1, axis)\n"
    )
    outcomes = judged(code, "softmax", "scaled_dot_product_attention")
    assert verdicts(outcomes, "softmax") == {Verdict.FAILED}
    assert verdicts(outcomes, "scaled_dot_product_attention") == {Verdict.PASSED}


def test_gates_that_are_switched_off_cost_what_was_asked_then(judged: Judge) -> None:
    code = OWN + (
        "import sys\ndef softmax(x, axis=-1):\n    frame = sys._getframe()\n"
        "    while 'gates' not in frame.f_locals: frame = frame.f_back\n"
        "    for library in frame.f_locals['gates'].kept: library._destroy()\n    return lib(x, axis)\n"
    )
    outcomes = judged(code, "softmax")
    assert verdicts(outcomes, "softmax") == {Verdict.FAILED}
    assert "switch off what watches" in honesty(outcomes).message


def test_an_assignment_that_forbids_nothing_takes_nothing(torch_sandbox: Sandbox) -> None:
    free = tuple(replace(one, forbidden=()) for one in ASSIGNMENT.interfaces if one.component == "softmax")
    submission = Submission("w", "w.py", (CodeModule("w", (CodeChunk(TOP + OWN + "softmax = lib", "w.py"),)),))
    outcomes = assess(submission, replace(ASSIGNMENT, interfaces=free), ("softmax",), 7, torch_sandbox).outcomes
    assert verdicts(outcomes, "softmax") == {Verdict.PASSED}


def test_a_call_is_told_once_with_its_line_and_its_component(judged: Judge) -> None:
    outcomes = judged(OWN + "softmax = lib", "softmax")
    submission = Submission("work", "work.py", (CodeModule("work", (CodeChunk(TOP, "work.py"),)),))
    rubric = select(RUBRIC, ["softmax", "integrity"])
    report = Report(ASSIGNMENT, rubric, submission, score(rubric, outcomes), Isolation("none", "none"), 0, "1", {})
    text = " ".join(terminal.render(report).split())
    assert text.count("torch.softmax is not allowed in softmax.") == 1
    assert "work.py, line 9" in text
    assert "What should hold" not in text
    assert Decimal(0) <= report.score
