"""Two mistakes in one module are found together, whatever components they belong to."""

from __future__ import annotations

import pytest

from grader import components
from grader.auditing.modules import rehearse
from grader.blocks.pairs import turns_masks
from grader.component.checks import together
from grader.model.outcome import joined

PAIRS = (
    ("multi_head_attention", "mha-relu-on-projections", "mha-merge-without-transpose"),
    ("multi_head_attention", "mha-value-uses-key-projection", "mha-missing-output-projection"),
    ("multi_head_attention", "sdpa-no-scale", "mha-mask-repeat-order"),
    ("encoder_layer", "ffn-missing-activation", "enc-ffn-residual-from-block-input"),
    ("encoder_layer", "enc-norm-on-sublayer-only", "encoder-mask-not-passed"),
    pytest.param("decoder_layer", "dec-masks-swapped", "ffn-missing-activation", marks=pytest.mark.slow),
    ("layer_norm", "ln-eps-outside-sqrt", "ln-over-all-but-batch"),
    pytest.param("transformer", "trf-embed-scale-missing", "trf-returns-probabilities", marks=pytest.mark.slow),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "one", "other"), PAIRS)
def test_two_mistakes_are_found_together(name: str, one: str, other: str) -> None:
    block = components.component(name, "class")
    first, second = (next(fault for fault in block.faults if fault.id == wanted) for wanted in (one, other))
    outcomes = rehearse(block, together(first, second))
    named = {name for o in outcomes if o.diagnosis for name in (o.diagnosis.id, *map(joined, o.diagnosis.family))}
    assert any(set(both.split(" + ")) == {one, other} for both in named), named


def test_a_default_mask_shows_without_a_mask() -> None:
    faults = components.component("transformer", "class").faults
    assert not any(
        turns_masks(fault) for fault in faults if fault.id in {"trf-not-causal", "trf-encoder-uses-tgt-mask"}
    )
    assert all(turns_masks(fault) for fault in faults if fault.id in {"dec-masks-swapped", "sdpa-ignores-mask"})
