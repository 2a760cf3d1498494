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
    (
        "ln_one_plus_gain",
        "layer_norm",
        "self.g = nn.Parameter(torch.zeros",
        "self.g = nn.Parameter(torch.ones",
        "ln-gain-plus-one",
    ),
    ("ln_both_in_one", "layer_norm", "unbiased=False", "unbiased=True", "ln-unbiased-variance"),
    ("mha_vmap", "multi_head_attention", " / math.sqrt(self.dk)", "", "sdpa-no-scale"),
    ("mha_frozen_constants", "multi_head_attention", "self.dk ** (-0.5)", "d_model ** (-0.5)", "mha-scale-by-d-model"),
    ("dec_memory_first", "decoder_layer", "x, x, tgt_mask", "x, x, src_mask", "dec-self-uses-src-mask"),
    ("trf_frozen_parameter_table", "transformer", "10000 **", "1000 **", "pe-wrong-base"),
    ("trf_frozen_embedding_table", "transformer", "10000 **", "1000 **", "pe-wrong-base"),
    ("trf_frozen_embedding_table", "transformer", "freeze=True", "freeze=False", "trf-pe-is-trained"),
    ("trf_named_device", "transformer", "self.register_buffer('pe', ", "self.pe = (", "trf-pe-not-a-buffer"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "component", "old", "new", "name"), SLIPS)
def test_a_slip_in_a_style_of_its_own_is_named(
    judged: Judge, case: str, component: str, old: str, new: str, name: str
) -> None:
    code = (CASES / case / "work" / "work.py").read_text()
    assert old in code
    found = judged(component, code.replace(old, new).replace(", persistent=False)", ")"))
    assert found.lost
    assert found.named == {name}


SMALL_MATRICES = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads do not fit")
        self.heads, width = num_heads, d_model // num_heads
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        cut = lambda x: x.unflatten(-1, (self.heads, -1))
        q, k, v = self.q(cut(query)), self.k(cut(key)), self.v(cut(value))
        scores = torch.einsum("bnhk,bmhk->bhnm", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.out(torch.einsum("bhnm,bmhk->bnhk", scores.softmax(-1), v).flatten(2))
"""


def test_one_small_matrix_for_all_heads_is_named(judged: Judge) -> None:
    assert judged("multi_head_attention", SMALL_MATRICES).named == {"mha-heads-share-projections"}
