"""A slip in a style of its own is still caught, and named where values tell: no style hides it."""

from __future__ import annotations

from pathlib import Path

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

CASES = Path(__file__).resolve().parents[1] / "submissions" / "transformer-from-scratch"
SLIPS = [
    ("ln_by_rows", "layer_norm", "(v + self.eps) ** 0.5", "(v ** 0.5 + self.eps)", "ln-eps-outside-sqrt"),
    ("ln_by_rows", "layer_norm", "- m) ** 2) / len(row)", "- m) ** 2) / (len(row) - 1)", "ln-unbiased-variance"),
    ("ln_one_plus_gain", "layer_norm", "x.var(-1, False,", "x.var(-1, True,", "ln-unbiased-variance"),
    ("ln_both_in_one", "layer_norm", "unbiased=False", "unbiased=True", "ln-unbiased-variance"),
    ("mha_vmap", "multi_head_attention", " / math.sqrt(self.dk)", "", "sdpa-no-scale"),
    ("mha_frozen_constants", "multi_head_attention", "self.dk ** (-0.5)", "d_model ** (-0.5)", "mha-scale-by-d-model"),
    ("dec_memory_first", "decoder_layer", "x, x, tgt_mask", "x, x, src_mask", "dec-self-uses-src-mask"),
    ("trf_frozen_parameter_table", "transformer", "10000 **", "1000 **", "pe-wrong-base"),
    ("trf_frozen_embedding_table", "transformer", "10000 **", "1000 **", "pe-wrong-base"),
    ("trf_frozen_embedding_table", "transformer", "freeze=True", "freeze=False", "trf-pe-is-trained"),
    ("trf_named_device", "transformer", "self.register_buffer('pe', ", "self.pe = (", "trf-pe-not-a-buffer"),
]


@pytest.mark.parametrize(("case", "component", "old", "new", "name"), SLIPS)
def test_a_slip_in_a_style_of_its_own_is_named(
    judged: Judge, case: str, component: str, old: str, new: str, name: str
) -> None:
    code = (CASES / case / "work" / "work.py").read_text()
    assert old in code
    found = judged(component, code.replace(old, new).replace(", persistent=False)", ")"))
    assert found.lost
    assert found.named == {name}
