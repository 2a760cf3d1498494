"""Each form of mask that the hand-out allows is asked, and a fill that is not low enough shows in torch too."""

from __future__ import annotations

import numpy as np
import pytest
from block_samples import OWN, Judge
from whole_submission import WHOLE, changed

from grader.blocks.mask_axes import drawn

pytestmark = pytest.mark.torch
FILL = "scores.masked_fill(~mask, -math.inf)"
HEADS = "            mask = mask[:, None]\n"
FOUR = HEADS + "        if mask is not None and mask.dim() == 4:\n"
COMPONENTS = {
    "multi_head_attention": "mask_for_all",
    "encoder_layer": "mask_reaches_attention",
    "decoder_layer": "target_mask_in_self_attention",
}


@pytest.mark.parametrize("axes", [("b",), ("b", "n"), ("b", "h"), ("b", "h", "n")])
@pytest.mark.parametrize("lengths", [(2, 2, 2, 3), (2, 3, 4, 7), (3, 2, 5, 6)])
def test_samples_get_lengths_of_their_own(axes: tuple[str, ...], lengths: tuple[int, ...]) -> None:
    for seed in range(100):
        mask = drawn(np.random.default_rng(seed), axes, lengths)
        assert any((sample != mask[0]).any() for sample in mask)
        assert mask[..., 0].all()
        assert not mask[..., -1].any()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize("fill", [-50.0, -100.0, -1000.0])
def test_a_fill_that_scores_can_reach_is_caught_and_named(judged: Judge, component: str, fill: float) -> None:
    found = judged(component, changed((FILL, f"scores.masked_fill(~mask, {fill})")))
    assert set(found.lost) == {COMPONENTS[component]}
    assert found.named == {"sdpa-fill-not-low-enough"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    "fill",
    [
        "scores.masked_fill(~mask, -1e9)",
        "scores.masked_fill(~mask, -10000)",
        "scores + (1.0 - mask.to(scores.dtype)) * -10000.0",
        "scores.masked_fill(~mask, torch.finfo(scores.dtype).min)",
        "torch.where(mask, scores, torch.full_like(scores, -1e20))",
        "scores + torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device).masked_fill(~mask, -math.inf)",
        "scores + (1.0 - mask.to(scores.dtype)) * -1e9",
    ],
)
def test_every_fill_that_is_low_enough_is_right(judged: Judge, component: str, fill: str) -> None:
    assert judged(component, changed((FILL, fill))).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(
    "divided",
    ["weights.sum(-1, keepdim=True)"]
    + [f"(weights.sum(-1, keepdim=True){more})" for more in (" + 1e-9", ".clamp(1e-30)")],
)
def test_weights_that_are_masked_and_divided_by_their_sum_cost_nothing(
    judged: Judge, component: str, divided: str
) -> None:
    masked = "weights = softmax(scores, -1)\n    if mask is not None:\n        weights = weights * mask\n"
    code = changed(
        (FILL, "scores"), ("weights = softmax(scores, -1)\n", f"{masked}        weights = weights / {divided}\n")
    )
    assert judged(component, code).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("new", "lost"),
    [
        (FOUR + "            mask = mask[:, :1]\n", {"mask_per_head"}),
        (FOUR + "            mask = mask.any(1, keepdim=True)\n", {"mask_per_head"}),
        (FOUR + "            mask = mask.any(0)\n", {"mask_per_head", "mask_per_sample"}),
        ("            mask = mask[:1, None]\n", {"mask_per_sample"}),
        ("            mask = mask.any(0)\n", {"mask_per_sample"}),
        ("            mask = None\n", {"mask_per_sample"}),
        ("            pass\n", {"mask_per_sample"}),
    ],
)
def test_each_form_of_mask_is_asked_of_attention(judged: Judge, new: str, lost: set[str]) -> None:
    assert set(judged("multi_head_attention", changed((HEADS, new))).lost) == lost


def test_the_first_head_s_mask_for_all_heads_is_named(judged: Judge) -> None:
    code = changed(
        (HEADS, HEADS + "        if mask is not None and mask.dim() == 4:\n            mask = mask[:, :1]\n")
    )
    assert judged("multi_head_attention", code).named == {"mha-mask-of-first-head"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("axes", "new"), [(4, "mask[:1]"), (2, "mask.all(0, keepdim=True)"), (3, "mask[:1]"), (4, "mask[..., :1]")]
)
def test_wrong_broadcasting_in_an_encoder_layer_is_caught(judged: Judge, axes: int, new: str) -> None:
    seen = f"mask if mask is None or mask.dim() != {axes} else {new}"
    code = changed(("self.attention(y, y, y, mask)", f"self.attention(y, y, y, {seen})"))
    assert set(judged("encoder_layer", code).lost) == {"mask_reaches_attention"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("axes", "new"), [(4, "src_mask[:1]"), (4, "src_mask[..., :1, :]"), (2, "src_mask[:1]"), (2, "None")]
)
def test_wrong_broadcasting_in_a_decoder_layer_is_caught(judged: Judge, axes: int, new: str) -> None:
    seen = f"src_mask if src_mask is None or src_mask.dim() != {axes} else {new}"
    code = changed(("self.cross(y, memory, memory, src_mask)", f"self.cross(y, memory, memory, {seen})"))
    assert set(judged("decoder_layer", code).lost) == {"source_mask_in_cross_attention"}


def test_a_layer_may_refuse_a_mask_of_three_axes(judged: Judge) -> None:
    code = changed((HEADS, "            raise ValueError('two axes or four')\n"))
    found = judged("encoder_layer", code)
    assert found.said == {}
    assert any("leaves open" in note for outcome in found.outcomes for note in outcome.notes)
    assert set(judged("multi_head_attention", code).lost) == {"mask_per_sample"}


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_hand_in_itself_is_right(judged: Judge, component: str) -> None:
    assert judged(component, WHOLE).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stem", sorted(path.stem for path in OWN.glob("mha_*.py")))
@pytest.mark.parametrize("seed", [11, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (12, 13))])
def test_no_style_is_taken_for_a_weak_fill_under_other_seeds(judged: Judge, stem: str, seed: int) -> None:
    assert judged("multi_head_attention", (OWN / f"{stem}.py").read_text(), seed=seed).said == {}
