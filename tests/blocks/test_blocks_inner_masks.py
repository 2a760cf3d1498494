"""A decoder layer whose attention hides the future itself: what attention does with a given mask spoils that alone."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

LAYER = """
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, context, hidden=None):
        given = ((self.q, x), (self.k, context), (self.v, context))
        q, k, v = (one(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for one, y in given)
        n, m = q.shape[2], k.shape[2]
        open_to = torch.ones(len(x), 1, n, m, dtype=torch.bool, device=x.device)
        if hidden is not None:
            open_to = open_to & ~hidden.reshape(len(x), 1, 1, m)
        if self.causal:
            open_to = open_to.tril()
        weighed = F.softmax((q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~open_to, float("-inf")), -1) @ v
        return self.o(weighed.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.own, self.other = Attention(width, heads, causal=True), Attention(width, heads)
        self.net = nn.Sequential(nn.Linear(width, wide), nn.ReLU(), nn.Linear(wide, width))
        self.n1, self.n2, self.n3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, memory, src_hidden=None, tgt_hidden=None):
        x = self.n1(x + self.own(x, x, tgt_hidden))
        x = self.n2(x + self.other(x, memory, src_hidden))
        return self.n3(x + self.net(x))
"""
FILLED = 'F.softmax((q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~open_to, float("-inf")), -1) @ v'
LOW = FILLED.replace('float("-inf")', "-1e9")
TORCH = "F.scaled_dot_product_attention(q, k, v, attn_mask=open_to)"
SAID = {
    "parameters": ("x", "memory", "src_mask", "tgt_mask"),
    "conventions": {
        "constructor": ["d_model", "num_heads", "d_ff"], "causal": True, "mask": "block", "mask_shapes": ["(b, m)"],
    },
}  # fmt: skip
WAYS = pytest.mark.parametrize("how", [LOW, FILLED, TORCH], ids=["-1e9", "-inf", "torch"])


def changed(how: str, old: str = "", new: str = "") -> str:
    assert old in LAYER
    return LAYER.replace(FILLED, how).replace(old, new) if old else LAYER.replace(FILLED, how)


@WAYS
def test_a_mask_of_keys_beside_the_built_in_one_is_right(how: str, judged: Judge) -> None:
    found = judged("decoder_layer", changed(how), **SAID)
    assert not found.lost, found.said


@WAYS
def test_a_mask_read_the_other_way_leaves_the_built_in_one_as_it_is(how: str, judged: Judge) -> None:
    found = judged("decoder_layer", changed(how, "& ~hidden", "& hidden"), **SAID)
    assert found.named == {"sdpa-mask-polarity-inverted"}, found.said
    assert set(found.lost) == {"target_mask_in_self_attention", "source_mask_in_cross_attention"}


def test_queries_from_the_memory_cut_to_length_are_named(judged: Judge) -> None:
    code = changed(LOW, "self.other(x, memory, src_hidden)", "self.other(memory, x)[:, : x.shape[1]]")
    found = judged("decoder_layer", code, **SAID)
    assert found.named == {"dec-cross-roles-swapped"}, found.said


GIVEN = "self.other(x, memory, src_hidden"


@pytest.mark.parametrize(
    ("edits", "mistake"),
    [
        (((GIVEN, "self.other(x, memory, tgt_hidden"),), "dec-cross-uses-tgt-mask"),
        (
            ((GIVEN, "self.other(x, memory, tgt_hidden"), ("x, x, tgt_hidden", "x, x, src_hidden")),
            "dec-masks-swapped",
        ),
    ],
)
def test_a_mask_in_the_wrong_attention_is_named_beside_the_built_in_one(
    edits: tuple[tuple[str, str], ...], mistake: str, judged: Judge
) -> None:
    code = changed(LOW)
    for old, new in edits:
        assert old in code
        code = code.replace(old, new)
    found = judged("decoder_layer", code, **SAID)
    assert found.named == {mistake}, found.said
    assert all(outcome.diagnosis for outcome in found.lost.values())
