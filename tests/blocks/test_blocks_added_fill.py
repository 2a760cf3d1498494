"""A number that is added to blocked scores hides nothing unless it is far below every score."""

from __future__ import annotations

import pytest
from block_samples import Judge
from whole_submission import changed

pytestmark = pytest.mark.torch
FILLED = "scores = scores.masked_fill(~mask, -math.inf)"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "component", ["multi_head_attention", "encoder_layer", pytest.param("decoder_layer", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("fill", ["-10", "-100", "-5.0", "-1000"])
def test_a_number_added_to_blocked_scores_is_named(judged: Judge, component: str, fill: str) -> None:
    found = judged(component, changed((FILLED, f"scores = scores + (~mask).to(scores.dtype) * {fill}")))
    assert found.lost
    assert found.named == {"sdpa-fill-not-low-enough"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", ["multi_head_attention", "encoder_layer", "decoder_layer", "transformer"])
@pytest.mark.parametrize("fill", ["-1e9", "-1e30", "torch.finfo(scores.dtype).min"])
def test_a_very_low_number_added_is_right(judged: Judge, component: str, fill: str) -> None:
    code = changed((FILLED, f"scores = scores + (~mask).to(scores.dtype) * {fill}"))
    assert judged(component, code).said == {}


def test_where_masks_are_numbers_no_mistake_speaks_of_booleans(judged: Judge) -> None:
    code = changed((FILLED, "scores = scores + mask.clamp(min=-1.0)"))
    found = judged("multi_head_attention", code, conventions={"mask": "additive"})
    assert found.lost
    assert not found.named
    assert (
        judged(
            "multi_head_attention", changed((FILLED, "scores = scores + mask")), conventions={"mask": "additive"}
        ).said
        == {}
    )
