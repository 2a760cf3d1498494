"""Attention that folds its heads into the batch, and is told how many keys of each sample are real."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

CODE = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def fold(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, queries, keys, values, lens=None):
        q, k, v = self.fold(self.q(queries)), self.fold(self.k(keys)), self.fold(self.v(values))
        scores = torch.bmm(q, k.mT) / q.shape[-1] ** 0.5
        if lens is not None:
            lens = lens.repeat_interleave(self.heads, dim=0)
            lens = lens[:, None] if lens.ndim == 1 else lens
            real = torch.arange(k.shape[1], device=k.device) < lens[..., None]
            scores = torch.where(real, scores, -1e9)
        read = torch.bmm(scores.softmax(-1), v)
        return self.o(read.unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2))
"""
SAID = {
    "parameters": ("query", "key", "value", "mask"),
    "conventions": {
        "constructor": ["d_model", "num_heads"], "mask": "lengths", "mask_shapes": ["(b)", "(b, n)"],
        "refuses_uneven_heads": False,
    },
}  # fmt: skip
RIGHT = "lens.repeat_interleave(self.heads, dim=0)"


def test_lengths_in_the_order_of_the_heads_are_right(judged: Judge) -> None:
    found = judged("multi_head_attention", CODE, **SAID)
    assert not found.lost, found.said


@pytest.mark.parametrize("tiled", ["lens.repeat(self.heads)", "lens.repeat(self.heads, *[1] * (lens.ndim - 1))"])
def test_tiled_lengths_are_named_where_some_shapes_cannot_be_tiled_as_well(tiled: str, judged: Judge) -> None:
    found = judged("multi_head_attention", CODE.replace(RIGHT, tiled), **SAID)
    assert found.named == {"mha-mask-repeat-order"}, found.said
    assert all(outcome.diagnosis for outcome in found.lost.values())


FOLDED_IN_FRONT = (
    (".transpose(1, 2).flatten(0, 1)", ".permute(2, 0, 1, 3).flatten(0, 1)"),
    (".unflatten(0, (-1, self.heads)).transpose(1, 2)", ".unflatten(0, (self.heads, -1)).permute(1, 2, 0, 3)"),
)
"""Heads come in front of the samples."""


@pytest.mark.parametrize(("repeated", "named"), [
    (RIGHT.replace("_interleave", ""), set()),
    (RIGHT, {"mha-mask-repeat-order"}),
])  # fmt: skip
def test_masks_are_repeated_in_the_order_in_which_heads_are_folded(
    repeated: str, named: set[str], judged: Judge
) -> None:
    code = CODE.replace(
        RIGHT, repeated.replace("self.heads, dim=0", "self.heads" if not named else "self.heads, dim=0")
    )
    for old, new in FOLDED_IN_FRONT:
        assert old in code
        code = code.replace(old, new)
    found = judged(
        "multi_head_attention", code, **{**SAID, "conventions": {**SAID["conventions"], "mask_shapes": ["(b)"]}}
    )
    assert found.named == named, found.said
    assert bool(found.lost) == bool(named)
