from __future__ import annotations

from dataclasses import replace

import pytest

from grader.assessing.carried import carry_forward
from grader.assessing.second_look import _reconsidered
from grader.model import By, Diagnosis, Outcome, Verdict


def failed(component: str, name: str, *family: str) -> Outcome:
    found = Diagnosis(tuple(name.split(" + ")), name, tuple((one,) for one in family))
    return Outcome(f"{component}.values", component, "values", Verdict.FAILED, 1, 3, diagnosis=found)


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
    softmax, attention = carry_forward(
        [failed("softmax", inner), failed("scaled_dot_product_attention", outer, *family)]
    )
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
    found = carry_forward([failed("causal_mask", inner), failed("attention_masks", outer)])
    assert [one.verdict for one in found] == [Verdict.FAILED, Verdict.PASSED]


def test_another_slip_in_the_attention_is_its_own():
    _, attention = carry_forward(
        [failed("softmax", "softmax-no-max-shift"), failed("scaled_dot_product_attention", "sdpa-no-scale")]
    )
    assert attention.verdict is Verdict.FAILED


def test_the_attention_pays_where_the_softmax_was_not_judged():
    (attention,) = carry_forward([failed("scaled_dot_product_attention", "sdpa-softmax-no-max-shift")])
    assert attention.verdict is Verdict.FAILED


@pytest.mark.parametrize("part", ["answer-not-a-number", "sdpa-softmax-over-head-axis"])
def test_a_block_that_gives_no_numbers_is_not_right_given_its_part(part: str) -> None:
    _, block = carry_forward([failed("multi_head_attention", part), failed("encoder_layer", "answer-not-a-number")])
    assert block.verdict is Verdict.FAILED


@pytest.mark.parametrize(("name", "open"), [("answer-not-a-number", True), ("enc-missing-residual", False)])
def test_what_gives_no_numbers_may_be_a_parts_doing(name: str, open: bool) -> None:
    assert _reconsidered(failed("encoder_layer", name)) is open


@pytest.mark.parametrize(("manner", "verdict"), [(False, Verdict.UNDETERMINED), (True, Verdict.PASSED)])
def test_answers_that_no_computation_reproduces_are_not_right_given_a_part(manner: bool, verdict: Verdict) -> None:
    told = failed("decoder", "stack-of-another-depth")
    told = replace(told, manner=manner, diagnosis=replace(told.diagnosis, by=By.SIGN))
    assert carry_forward([failed("encoder", "stack-of-another-depth"), told])[1].verdict is verdict
