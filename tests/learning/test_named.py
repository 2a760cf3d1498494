"""A mistake of the solution has its name, too, where it stands beside what its course settles otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CAUSAL_BY_ITSELF = """
import math
import torch
from torch import nn

class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h, self.d = num_heads, d_model
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d)
        scores = scores.masked_fill(torch.ones(n, n).tril() == 0, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))
"""


def test_a_mistake_in_what_is_causal_by_itself_has_its_name(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    (lesson,) = teach(CAUSAL_BY_ITSELF, tmp_path).judged
    assert lesson.interface.conventions["causal"] is True
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"mha-scale-by-d-model"}


NORM_FIRST = """
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return self.gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.shift

class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.attend, self.drop = nn.MultiheadAttention(d_model, num_heads, batch_first=True), nn.Dropout(dropout)
        self.think = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.first, self.second = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x):
        x = self.first(x)
        x = x + self.drop(self.attend(x, x, x, need_weights=False)[0])
        return x + self.drop(self.think(self.second(x)))
"""


def test_a_mistake_has_its_name_beside_what_the_other_parts_keep(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    norm, layer = teach(NORM_FIRST, tmp_path).judged
    assert norm.interface.conventions["deviation"] == layer.interface.conventions["deviation"] == "unbiased"
    assert layer.interface.conventions["norm"] == "pre"
    assert not norm.mistakes
    assert {one.diagnosis.id for one in layer.mistakes if one.diagnosis} == {"enc-norm-before-both"}
