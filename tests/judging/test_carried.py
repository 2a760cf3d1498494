from __future__ import annotations

from dataclasses import replace

import pytest

from grader.assessing.carried import carry_forward, follow
from grader.model import Diagnosis, Outcome, Verdict


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
    assert attention.notes == ("right, given your softmax",)


def test_another_slip_in_the_attention_is_its_own():
    _, attention = carry_forward(
        [failed("softmax", "softmax-no-max-shift"), failed("scaled_dot_product_attention", "sdpa-no-scale")]
    )
    assert attention.verdict is Verdict.FAILED


def test_the_attention_pays_where_the_softmax_was_not_judged():
    (attention,) = carry_forward([failed("scaled_dot_product_attention", "sdpa-softmax-no-max-shift")])
    assert attention.verdict is Verdict.FAILED


def unexplained(component: str, diagnosis: Diagnosis | None = None) -> Outcome:
    return Outcome(f"{component}.values", component, "values", Verdict.FAILED, 1, 3, diagnosis=diagnosis)


NAN = Diagnosis(("answer-not-a-number",), "NaN")


@pytest.mark.parametrize(
    ("part", "block", "waits"),
    [
        (unexplained("multi_head_attention"), unexplained("encoder_layer"), True),
        (unexplained("multi_head_attention", NAN), unexplained("encoder_layer", NAN), True),
        (failed("multi_head_attention", "sdpa-softmax-over-head-axis"), unexplained("encoder_layer", NAN), True),
        (failed("multi_head_attention", "sdpa-no-scale"), unexplained("encoder_layer"), False),
        (unexplained("multi_head_attention"), failed("encoder_layer", "enc-missing-residual"), False),
        (replace(unexplained("multi_head_attention"), verdict=Verdict.PASSED), unexplained("encoder_layer"), False),
    ],
)
def test_a_block_of_which_nothing_can_be_told_waits_for_a_part_that_is_wrong_itself(
    part: Outcome, block: Outcome, waits: bool
) -> None:
    before, after = follow([part, block], lambda *_: True)
    assert before == part
    assert after.verdict is (Verdict.UNDETERMINED if waits else Verdict.FAILED)
    assert after.message.startswith("cannot be judged while your multi head attention is wrong") is waits


def test_a_block_that_is_not_built_on_the_part_pays_for_itself() -> None:
    outcomes = [unexplained("multi_head_attention"), unexplained("encoder_layer")]
    assert list(follow(outcomes, lambda *_: False)) == outcomes
