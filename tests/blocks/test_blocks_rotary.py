"""Where a course turns queries and keys by their positions, slips of turning have names; elsewhere there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from block_samples import Judge

from grader import components
from grader.auditing.modules import rehearse
from grader.blocks.examine import Block
from grader.component.checks import Misconception
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

LAYOUTS = ("interleaved", "halves")


def course(name: str, rotary: str) -> tuple[Block, Interface]:
    block = components.component(name, "class")
    assert isinstance(block, Block)
    return block, Interface(name, block.target, conventions={"rotary": rotary})


def slips(block: Block, said: Interface) -> Iterator[Misconception]:
    yield from (one for one in block.under(said).faults if one.id.startswith("mha-rotary-"))


def made() -> Iterator[Any]:
    for name in ("multi_head_attention", "encoder_layer", "language_model"):
        for rotary in LAYOUTS:
            for number, slip in enumerate(slips(*course(name, rotary))):
                slow = [pytest.mark.slow] if name == "language_model" else []
                yield pytest.param(name, rotary, slip, marks=slow, id=f"{name}-{rotary}-{slip.id}-{number}")


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "rotary", "slip"), list(made()))
def test_a_slip_of_turning_is_named_in_attention_block_and_model(name: str, rotary: str, slip: Misconception) -> None:
    block, said = course(name, rotary)
    lost = [one for one in rehearse(block, slip, said) if one.verdict is not Verdict.PASSED]
    assert lost
    assert {id_ for one in lost if one.diagnosis for id_ in one.diagnosis.ids} == {slip.id}


@pytest.mark.parametrize("name", components.names())
def test_without_turning_there_is_no_slip_of_turning(name: str) -> None:
    if "class" in components.forms(name):
        block, paper = course(name, "none")
        assert not any(one.id.startswith("mha-rotary-") for one in block.faults)
        assert not list(slips(block, paper))


CODE = """
import torch
from torch import nn

def angles(n, width, base=10000.0):
    speeds = base ** (-torch.arange(0, width, 2).double() / width)
    table = torch.outer(torch.arange(n).double(), speeds)
    return torch.repeat_interleave(table, 2, -1)

def turn(x, sign=1.0):
    table = angles(x.shape[-2], x.shape[-1]).to(x.dtype)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    return x * table.cos() + sign * partner * table.sin()

class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = num_heads
        self.maps = nn.ModuleList(nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.split(one(x)) for one in self.maps[:3])
        q, k = turn(q), turn(k)
        read = (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v
        return self.maps[3](read.transpose(1, 2).flatten(2))
"""
LAYER = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.look, self.one, self.two = Attention(d_model, num_heads), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.think = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x):
        x = self.one(x + self.look(x))
        return self.two(x + self.think(x))
"""
WRITTEN = [
    ("", "", ""),
    ("q, k = turn(q), turn(k)", "q, k, v = map(turn, (q, k, v))", "values"),
    ("q, k = turn(q), turn(k)", "q = turn(q)", "one-alone"),
    ("q, k = turn(q), turn(k)", "q, k = turn(q), turn(k, -1.0)", "opposite"),
    ("[-x[..., 1::2], x[..., 0::2]]", "[x[..., 1::2], -x[..., 0::2]]", "backwards"),
    ("[-x[..., 1::2]", "[x[..., 1::2]", "no-minus"),
    ("torch.repeat_interleave(table, 2, -1)", "torch.cat([table, table], -1)", "layouts-mixed"),
    ("torch.arange(0, width, 2)", "torch.arange(width // 2)", "exponent"),
    ("base=10000.0", "base=5000.0", "base"),
    ("split(one(x)) for one in self.maps[:3])\n        q, k = turn(q), turn(k)",
     "split(f(one(x))) for f, one in zip((turn, turn, lambda y: y), self.maps))", "before-split"),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["multi_head_attention", "encoder_layer"])
@pytest.mark.parametrize(("right", "wrong", "slip"), WRITTEN, ids=[one[2] or "right" for one in WRITTEN])
def test_turning_as_students_write_it(judged: Judge, name: str, right: str, wrong: str, slip: str) -> None:
    layer = name == "encoder_layer"
    code = CODE.replace(right, wrong) + (LAYER if layer else "")
    assert (code == CODE + (LAYER if layer else "")) == (not slip)
    made = ["d_model", "num_heads", "d_ff"] if layer else ["d_model", "num_heads"]
    said = {"rotary": "interleaved", "constructor": made, "refuses_uneven_heads": False}
    given = {"conventions": {key: value for key, value in said.items() if not (layer and key.startswith("refuses"))}}
    code = code if layer else code.replace("class Attention", "class MultiHeadAttention")
    found = judged(name, code, parameters=("x",) if layer else ("query",), **given)
    assert found.named == ({f"mha-rotary-{slip}"} if slip else set())
    assert bool(found.lost) == bool(slip)
    if slip == "base":
        assert all(one.diagnosis and "5000" in one.diagnosis.title for one in found.lost.values())
