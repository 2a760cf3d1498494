"""A gate in one tensor with what it gates, in either order: right where it is declared, and its slips have names."""

from __future__ import annotations

from typing import Any

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"
GATE_AND_VALUE = (
    HEAD
    + """
class PositionwiseFeedForward(nn.Module):
    def __init__(self, dim, wide):
        super().__init__()
        self.both, self.back = nn.Linear(dim, 2 * wide), nn.Linear(wide, dim)

    def forward(self, x):
        gate, value = self.both(x).chunk(2, dim=-1)
        return self.back(F.silu(gate) * value)


class EncoderLayer(nn.Module):
    def __init__(self, dim, heads, wide):
        super().__init__()
        self.first, self.second = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.network = PositionwiseFeedForward(dim, wide)

    def attend(self, x):
        q, k, v = (one.unflatten(-1, (self.heads, -1)).transpose(1, 2) for one in self.qkv(x).chunk(3, dim=-1))
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attend(self.first(x))
        return x + self.network(self.second(x))
"""
)
VALUE_AND_GATE = GATE_AND_VALUE.replace("gate, value = ", "value, gate = ").replace(
    "2 * wide)", "2 * wide, bias=False)"
)
STACKED = GATE_AND_VALUE.replace("nn.Linear(dim, 2 * wide)", "nn.Parameter(torch.randn(2, dim, wide))").replace(
    "self.both(x).chunk(2, dim=-1)", 'torch.einsum("...d,edf->e...f", x, self.both)'
)
CODES = {"gate first": GATE_AND_VALUE, "value first, no biases": VALUE_AND_GATE, "stacked in one parameter": STACKED}
SIZES = {"feed_forward": ["d_model", "d_ff"], "encoder_layer": ["d_model", "num_heads", "d_ff"]}
SLIPS = {
    "ffn-gate-wrong": ("feed_forward", "F.silu(gate) * value", "F.silu(gate) + value"),
    "course-activation-relu": ("feed_forward", "F.silu(gate)", "F.relu(gate)"),
    "enc-norm-before-both": (
        "encoder_layer",
        "x = x + self.attend(self.first(x))",
        "x = self.first(x)\n        x = x + self.attend(x)",
    ),
}


def _said(component: str, **more: Any) -> dict[str, Any]:
    conventions = {"constructor": SIZES[component], "activation": "silu", "gated": True, **more}
    return {
        "parameters": ("x",),
        "conventions": conventions | ({"norm": "pre"} if component == "encoder_layer" else {}),
    }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("component", SIZES)
@pytest.mark.parametrize("code", CODES)
def test_one_tensor_for_both_keeps_every_point(code: str, component: str, judged: Judge) -> None:
    found = judged(component, CODES[code], **_said(component))
    assert not found.lost, found.said


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mistake", SLIPS)
@pytest.mark.parametrize("code", CODES)
def test_a_slip_beside_one_tensor_for_both_is_named(code: str, mistake: str, judged: Judge) -> None:
    component, right, wrong = SLIPS[mistake]
    assert right in CODES[code]
    found = judged(component, CODES[code].replace(right, wrong), **_said(component))
    assert found.named == {mistake}, found.said


@pytest.mark.parametrize("code", CODES)
def test_a_gate_is_a_mistake_with_a_name_where_the_course_has_none(code: str, judged: Judge) -> None:
    found = judged("feed_forward", CODES[code], **_said("feed_forward", gated=False))
    assert found.named == {"ffn-gated"}, found.said


def test_a_network_twice_as_wide_is_no_gate(judged: Judge) -> None:
    wide = GATE_AND_VALUE.replace("nn.Linear(wide, dim)", "nn.Linear(2 * wide, dim)")
    wide = wide.replace("gate, value = self.both(x).chunk(2, dim=-1)\n", "inner = F.relu(self.both(x))\n")
    wide = wide.replace("F.silu(gate) * value", "inner")
    found = judged("feed_forward", wide, parameters=("x",), conventions={"constructor": SIZES["feed_forward"]})
    assert found.lost
