"""What students write: right answers keep every point whatever their style, wrong ones are named or left open."""

from __future__ import annotations

import inprocess
import numpy_setups as setups
import pytest
from numpy_samples import RIGHT
from numpy_wrong_attention import ATTENTION
from numpy_wrong_parts import PARTS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
WRONG = ATTENTION + PARTS


@pytest.mark.parametrize(("name", "code"), RIGHT, ids=[f"{name}-{at}" for at, (name, _) in enumerate(RIGHT)])
def test_a_right_style_loses_no_point(name: str, code: str) -> None:
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), code, seed=5)
    assert [(o.check, o.message) for o in outcomes if o.verdict != "passed"] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "slip", "id", "code"), WRONG, ids=[f"{name}: {slip}" for name, slip, *_ in WRONG])
def test_a_slip_loses_points_and_is_named_or_left_open(name: str, slip: str, id: str, code: str) -> None:
    del slip
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), code, seed=5)
    assert inprocess.failed(outcomes) != []
    assert " ".join(inprocess.names(outcomes)[:1]) == id


def test_a_constant_is_told_in_the_learners_own_number() -> None:
    told = {}
    constants = ("base 5000", "eps 1e-8", "a constant", "divides by 8", "fill -50", "adds 1e-9")
    for name, slip, _, code in (sample for sample in WRONG if sample[1].startswith(constants)):
        found = inprocess.diagnosis(inprocess.judged(setups.component(name), setups.interface(name), code))
        told[slip] = found.title if found else ""
    assert told["base 5000 wrong, odd crash"].startswith("Two slips together: the base is 5000 instead of 10000")
    assert told["eps 1e-8 hard"] == "eps is 1e-08 whatever is passed."
    assert told["a constant factor"] == "The rows are multiplied by 22.6274, whatever d_model is."
    assert told["divides by 8"] == "The scores are multiplied by 0.125, whatever d_k is."
    assert "filled with -50," in told["fill -50 and inverted"]
    assert told["adds 1e-9 where blocked"] == "Blocked scores are filled with 1e-09, which is almost 0."


ABOUT_MASKS = ["blocked_keys_get_no_weight", "allowed_keys_share_all_the_weight"]


@pytest.mark.parametrize(
    ("code", "lost"),
    [
        ("scores = np.where(mask, -1e9, scores)", ABOUT_MASKS),
        ("scores = scores + np.where(mask, -1e9, 0.0)", ABOUT_MASKS),
        ("pass", ABOUT_MASKS),
    ],
)
def test_a_mask_read_the_other_way_round_costs_what_a_mask_ignored_costs_and_no_more(
    code: str, lost: list[str]
) -> None:
    body = f"""
import numpy as np
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        {code}
    scores = scores - scores.max(-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return weights @ V, weights
"""
    name = "scaled_dot_product_attention"
    assert inprocess.failed(inprocess.judged(setups.component(name), setups.interface(name), body)) == lost
