from __future__ import annotations

from dataclasses import replace

import pytest

from grader.assessing.assess import assess
from grader.assessing.carried import carry_forward
from grader.assessing.second_look import _reconsidered
from grader.model.assignment import Adapter, Assignment, Interface
from grader.model.outcome import By, Diagnosis, Outcome, Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(level="auto") as one:
        yield one


def failed(component: str, name: str, *family: str) -> Outcome:
    found = Diagnosis(tuple(name.split(" + ")), name, tuple((one,) for one in family))
    return Outcome(f"{component}.values", component, "values", Verdict.FAILED, 1, 3, diagnosis=found)


def carried(*outcomes: Outcome, rests_on: bool = True) -> tuple[Outcome, ...]:
    return carry_forward(outcomes, lambda *_: rests_on)


@pytest.mark.parametrize(
    ("inner", "outer", "family"),
    [
        ("softmax-missing-keepdims", "sdpa-softmax-missing-keepdims", ()),
        ("softmax-no-max-shift", "sdpa-softmax-no-max-shift", ()),
        ("softmax-hardcoded-axis0", "sdpa-softmax-over-query-axis", ("sdpa-softmax-over-batch-axis",)),
        ("softmax-hardcoded-axis1", "sdpa-softmax-hardcoded-axis1", ()),
    ],
)
def test_a_slip_of_the_softmax_is_not_paid_for_again_in_the_attention_around_it(inner, outer, family):
    softmax, attention = carried(failed("softmax", inner), failed("scaled_dot_product_attention", outer, *family))
    assert softmax.verdict is Verdict.FAILED
    assert attention.verdict is Verdict.PASSED
    assert attention.notes == ("Right, given your softmax",)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("causal-mask-transposed", "tgt-mask-transposed"),
        ("causal-mask-excludes-diagonal", "tgt-mask-excludes-diagonal"),
        ("causal-mask-leaks-one-future", "tgt-mask-leaks-one-future"),
        ("causal-mask-inverted", "tgt-mask-triangle-inverted"),
        ("causal-mask-allows-everything", "tgt-mask-not-causal"),
    ],
)
def test_a_slip_of_the_triangle_is_not_paid_for_again_in_the_target_mask(inner: str, outer: str) -> None:
    told = failed("causal_mask", inner), failed("attention_masks", outer)
    assert [one.verdict for one in carried(*told)] == [Verdict.FAILED, Verdict.PASSED]
    assert [one.verdict for one in carried(*told, rests_on=False)] == [Verdict.FAILED, Verdict.FAILED]


def test_another_slip_in_the_attention_is_its_own():
    _, attention = carried(
        failed("softmax", "softmax-no-max-shift"), failed("scaled_dot_product_attention", "sdpa-no-scale")
    )
    assert attention.verdict is Verdict.FAILED


def test_the_attention_pays_where_the_softmax_was_not_judged():
    (attention,) = carried(failed("scaled_dot_product_attention", "sdpa-softmax-no-max-shift"))
    assert attention.verdict is Verdict.FAILED


@pytest.mark.parametrize("part", ["answer-not-a-number", "sdpa-softmax-over-head-axis"])
def test_a_block_that_gives_no_numbers_is_not_right_given_its_part(part: str) -> None:
    _, block = carried(failed("multi_head_attention", part), failed("encoder_layer", "answer-not-a-number"))
    assert block.verdict is Verdict.FAILED


@pytest.mark.parametrize(("name", "open"), [("answer-not-a-number", True), ("enc-missing-residual", False)])
def test_what_gives_no_numbers_may_be_a_parts_doing(name: str, open: bool) -> None:
    assert _reconsidered(failed("encoder_layer", name)) is open


@pytest.mark.parametrize(("manner", "verdict"), [(False, Verdict.UNDETERMINED), (True, Verdict.PASSED)])
def test_answers_that_no_computation_reproduces_are_not_right_given_a_part(manner: bool, verdict: Verdict) -> None:
    told = failed("decoder", "stack-of-another-depth")
    told = replace(told, manner=manner, diagnosis=replace(told.diagnosis, by=By.SIGN))
    assert carried(failed("encoder", "stack-of-another-depth"), told)[1].verdict is verdict


MASKS = """
import numpy as np

def padding_mask(ids, pad):
    return (ids != pad)[:, None, None, :]

def causal_mask(n):
    return np.tri(n, dtype=bool)

def make_src_mask(ids, pad):
    return padding_mask(ids, pad)

def make_tgt_mask(ids, pad):
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])[None, None]
"""
ADAPTER = """
class padding_mask:
    def call(work, lengths, max_len):
        import numpy as np
        real = np.arange(max_len) < np.asarray(lengths)[:, None]
        return work.padding_mask(real.astype(int), 0)
"""
OWN = MASKS.replace("return padding_mask(ids, pad)", "return (ids != pad)[:, None, None, :]").replace(
    "causal_mask(ids.shape[1])", "np.tri(ids.shape[1], dtype=bool)"
)
COURSE = Assignment(
    "masks",
    "1",
    "Masks",
    (
        Interface(
            "padding_mask", "padding_mask", conventions={"mask_axes": 4}, adapter=Adapter("padding_mask", ADAPTER)
        ),
        Interface("causal_mask", "causal_mask"),
        Interface("attention_masks", "make_src_mask", parameters=("ids", "pad_id")),
    ),
)
SLIPS_OF_MASKS = (
    ("padding_mask", "(ids != pad)", "(ids == pad)"),
    ("padding_mask", "(ids != pad)", "(ids != pad).astype(int)"),
    ("padding_mask", "[:, None, None, :]", "[:, None, :, None]"),
    ("causal_mask", "np.tri(n, dtype=bool)", "np.tri(n, dtype=bool).T"),
    ("causal_mask", "np.tri(n, dtype=bool)", "np.tri(n, k=1, dtype=bool)"),
    ("causal_mask", "np.tri(n, dtype=bool)", "np.tri(n, k=-1, dtype=bool)"),
    ("causal_mask", "np.tri(n, dtype=bool)", "np.tri(n, dtype=int)"),
    ("causal_mask", "np.tri(n, dtype=bool)", "~np.tri(n, dtype=bool)"),
)


def losing(code: str, sandbox: Sandbox) -> dict[str, set[str]]:
    """The parts that lose points for themselves."""
    names = [one.component for one in COURSE.interfaces]
    submission = Submission("s", "s.py", (CodeModule("student", (CodeChunk(code, "student.py"),)),))
    found = assess(submission, COURSE, names, 3, sandbox).outcomes
    return {one.component for one in found if one.verdict is not Verdict.PASSED}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("part", "right", "wrong"), SLIPS_OF_MASKS)
def test_a_slip_of_a_mask_is_paid_for_by_what_calls_it_only_where_it_is_made_there_too(part, right, wrong, sandbox):
    slipped = MASKS.replace(right, wrong, 1)
    assert losing(slipped, sandbox) == {part}
    assert losing(OWN.replace(right, wrong, 1), sandbox) == {part}
    again = OWN.replace(right, wrong).replace(*(text.replace("(n,", "(ids.shape[1],") for text in (right, wrong)))
    assert losing(again, sandbox) == {part, "attention_masks"}
