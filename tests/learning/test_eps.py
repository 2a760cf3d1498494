"""The eps that a class of norms has built in is learned where it shows, and the usual one stays right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned
from grader.model.report import Report

LAYER = """
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=2e-3):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps

    def forward(self, x):
        apart = x - x.mean(-1, keepdim=True)
        return self.gain * apart / (apart.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.shift


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
        self.network = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.first, self.second = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x):
        y = self.first(x)
        x = x + self.attention(y, y, y)[0]
        return x + self.network(self.second(x))
"""


@pytest.mark.torch
def test_an_eps_that_is_built_in_is_learned_and_the_usual_one_is_right(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    learned = {one.component: one.interface.conventions for one in teach(LAYER, tmp_path).judged}
    assert learned["encoder_layer"]["eps"] == 2e-3
    for code in (LAYER, LAYER.replace("2e-3", "1e-5"), LAYER.replace("LayerNorm(d_model)", "nn.LayerNorm(d_model)")):
        report = graded(code, tmp_path)
        assert report.score == report.max_score
    beside = graded(LAYER.replace("+ self.eps).sqrt()", "+ 0).sqrt() + self.eps"), tmp_path)
    assert beside.score < beside.max_score
