"""A softmax that subtracts the largest score of all is wrong for rows far apart, however it keeps its NaNs away."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from grader.cli.judging import settings_for
from grader.intake.loading import load
from grader.model.outcome import Verdict
from grader.pipeline import grade, prepared
from grader.sandbox.parent import Sandbox

_SUM = "s = e.sum(-1, keepdims=True)\n    "
HIDES = {
    "a small number is added": "return e / (e.sum(-1, keepdims=True) + 1e-12)",
    "the sum is kept from zero": "return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)",
    "NaNs become zeros": "with np.errstate(all='ignore'):\n        return np.nan_to_num(e / e.sum(-1, keepdims=True))",
    "nothing is divided by zero": f"{_SUM}return np.divide(e, s, out=np.zeros_like(e), where=s > 0)",
    "empty rows are even": f"{_SUM}return np.where(s > 0, e / np.where(s > 0, s, 1), 1 / x.shape[-1])",
}
CHECK = "softmax.rows_far_apart_do_not_disturb_each_other"


_LINES = ("weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))", "return weights @ V, weights")
ATTENTION = "def self_attention(Q, K, V):\n" + "".join(f"    {line}\n" for line in _LINES)


Judge = Callable[..., dict[str, Verdict]]


@pytest.fixture
def judged(tmp_path: Path, numpy_sandbox: Sandbox) -> Judge:
    return partial(verdicts, tmp_path, numpy_sandbox)


def verdicts(tmp_path: Path, sandbox: Sandbox, shift: str, last: str, *, of: str = "softmax") -> dict[str, Verdict]:
    work = tmp_path / "work.py"
    name = "softmax" if of == "softmax" else "_weights"
    body = f"    x = np.asarray(x, dtype=float)\n    e = np.exp(x - {shift})\n    {last}\n"
    attention = ATTENTION.replace("softmax", name)
    work.write_text(f"import numpy as np\n\n\ndef {name}(x):\n{body}\n\n{attention}")
    settings = settings_for("attention-numpy", isolation="standard", components=(of,))
    report = grade(prepared(load(work), settings.assignment), settings, sandbox)
    return {one.check: one.verdict for mark in report.marks for one in mark.outcomes}


@pytest.mark.parametrize("last", HIDES.values(), ids=HIDES)
def test_zeros_in_the_place_of_weights_are_wrong(judged: Judge, last: str) -> None:
    assert judged("x.max()", last)[CHECK] is Verdict.FAILED


@pytest.mark.parametrize("last", HIDES.values(), ids=HIDES)
def test_rows_that_are_shifted_each_by_its_own_largest_score_are_right(judged: Judge, last: str) -> None:
    assert set(judged("x.max(-1, keepdims=True)", last).values()) == {Verdict.PASSED}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("last", HIDES.values(), ids=HIDES)
def test_attention_is_held_to_the_same(judged: Judge, last: str) -> None:
    found = judged("x.max()", last, of="scaled_dot_product_attention")
    lost = {check for check, verdict in found.items() if verdict is not Verdict.PASSED}
    assert lost == {"scaled_dot_product_attention.survives_large_scores"}
    right = judged("x.max(-1, keepdims=True)", last, of="scaled_dot_product_attention")
    assert set(right.values()) == {Verdict.PASSED}
