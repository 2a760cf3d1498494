"""A gated network whose two maps into the inner layer are the halves of one matrix, in either order."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

CODE = """
import torch
from torch import nn
from torch.nn import functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, dim, wide):
        super().__init__()
        self.both, self.back = nn.Linear(dim, 2 * wide, bias=BIAS), nn.Linear(wide, dim, bias=BIAS)

    def forward(self, x):
        one, other = self.both(x).chunk(2, dim=-1)
        return self.back(RESULT)
"""
SAID = {
    "parameters": ("x",),
    "conventions": {"constructor": ["d_model", "d_ff"], "activation": "silu", "gated": True},
}


def code(result: str, bias: bool = False) -> str:
    return CODE.replace("BIAS", str(bias)).replace("RESULT", result)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("result", ["F.silu(one) * other", "one * F.silu(other)"])
def test_either_half_may_be_the_gate(result: str, bias: bool, judged: Judge) -> None:
    found = judged("feed_forward", code(result, bias), **SAID)
    assert not found.lost, found.said


@pytest.mark.parametrize(
    ("result", "mistake"),
    [
        ("F.silu(one) + other", "ffn-gate-wrong"),
        ("F.silu(one * other)", "ffn-gate-wrong"),
        ("F.gelu(one) * other", "course-activation-gelu"),
        ("one * other", "ffn-missing-activation"),
    ],
)
def test_what_is_done_with_the_halves_is_named(result: str, mistake: str, judged: Judge) -> None:
    found = judged("feed_forward", code(result), **SAID)
    assert found.named == {mistake}, found.said


def test_a_layer_twice_as_wide_is_no_gate(judged: Judge) -> None:
    wide = code("F.relu(self.both(x))").replace("nn.Linear(wide, dim", "nn.Linear(2 * wide, dim")
    found = judged("feed_forward", wide, parameters=("x",), conventions={"constructor": ["d_model", "d_ff"]})
    assert found.lost
