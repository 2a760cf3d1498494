"""Projections and tables that the weights themselves tell of."""

from __future__ import annotations

import pytest
from block_samples import OWN, Judge, bare

pytestmark = pytest.mark.torch

QUERIES = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(num_heads)
        self.h, self.w = num_heads, d_model // num_heads
        self.q = nn.Linear(d_model, {width})
        self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(3))

    def split(self, x):
        return x.unflatten(-1, (-1, self.w)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        s = self.split(self.q(query)) @ self.split(self.k(key)).mT / self.w ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.o((s.softmax(-1) @ self.split(self.v(value))).transpose(1, 2).flatten(2))
"""


@pytest.mark.slow
def test_one_projection_for_all_heads_is_told_by_its_width(judged: Judge) -> None:
    shared = QUERIES.format(width="d_model // num_heads")
    assert judged("multi_head_attention", shared).named == {"mha-projection-of-one-head"}
    assert judged("multi_head_attention", QUERIES.format(width="d_model")).lost == {}


CUT = """
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.heads, self.width = num_heads, d_model // num_heads
        self.maps = nn.ModuleList([nn.Linear(self.width, self.width, bias=False) for _ in range(3)])
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (map(x.unflatten(-1, (self.heads, -1))).transpose(1, 2)
                   for map, x in zip(self.maps, (query, key, value)))
        scores = q @ k.transpose(-1, -2) / {root} ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


@pytest.mark.slow
@pytest.mark.parametrize("root", ["self.width", "query.shape[-1]"])
def test_heads_that_are_cut_before_they_are_projected_are_told_beside_a_scale(judged: Judge, root: str) -> None:
    beside = {"self.width": "", "query.shape[-1]": "mha-scale-by-d-model + "}[root]
    named = judged("multi_head_attention", CUT.format(root=root)).named
    assert {*" + ".join(named).split(" + ")} == {*f"{beside}mha-heads-share-projections".split(" + ")}


FIXED = """
import torch
from torch import nn

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        {table}

    def forward(self, x):
        return x + self.table[: x.size(1)]
"""


def test_a_table_in_a_buffer_is_told_as_fixed(judged: Judge) -> None:
    buffer = FIXED.format(table='self.register_buffer("table", torch.randn(max_len, d_model))')
    assert judged("learned_positional_encoding", buffer).named == {"lpe-fixed-table"}
    learned = FIXED.format(table="self.table = nn.Parameter(torch.randn(max_len, d_model))")
    assert judged("learned_positional_encoding", learned).lost == {}


NETWORK = """
import torch
from torch import nn

class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d_model, {width}), nn.Linear({width}, d_model), {more}
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        {x}
        return {result}
"""
PLAIN = "self.b(self.drop(self.a(x).relu()))"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, ""),
        ({"width": "d_model"}, "ffn-inner-width-ignored"),
        (
            {"more": "nn.Linear(d_model, d_ff)", "result": "self.b(self.drop(self.a(x).sigmoid() * self.c(x)))"},
            "ffn-gated",
        ),
        ({"result": "self.drop(self.a(x).relu()) @ self.a.weight"}, "ffn-one-matrix-for-both"),
        ({"x": "x = x.mean(1, keepdim=True)"}, "ffn-positions-merged"),
    ],
)
def test_a_network_of_other_matrices_is_told_by_them(judged: Judge, changes: dict[str, str], name: str) -> None:
    given = {"width": "d_ff", "more": "None", "x": "x = x + 0", "result": PLAIN, **changes}
    found = judged("feed_forward", NETWORK.format(**given))
    assert found.named == ({name} if name else set())
    assert bool(found.lost) == bool(name), found.said


@pytest.mark.sampled(5)
@pytest.mark.parametrize("depth", [2, 5, 6])
@pytest.mark.parametrize("stem", ["encoder_stack", "decoder_stack", "transformer_tied"])
def test_a_stack_of_a_built_in_depth_is_told(judged: Judge, stem: str, depth: int) -> None:
    code = (OWN / f"{stem}.py").read_text().replace("range(num_layers)", f"range({depth})")
    assert judged(stem.partition("_")[0], bare(code)).named == {"stack-of-another-depth"}


@pytest.mark.slow
@pytest.mark.parametrize("stack", ["enc", "dec"])
def test_one_stack_of_a_built_in_depth_is_told_in_a_model(judged: Judge, stack: str) -> None:
    lines = (OWN / "transformer_tied.py").read_text().splitlines()
    wrong = [line.replace("range(num_layers)", "range(2)") if f"self.{stack} =" in line else line for line in lines]
    found = judged("transformer", bare("\n".join(wrong)))
    assert found.named == {"stack-of-another-depth"}
    assert set(found.lost) == {"computes_figure_1"}


STACKED = """
import torch
from torch import nn
from torch.nn import functional as F


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.count, self.heads, self.drop = num_layers, num_heads, nn.Dropout(dropout)
        self.all = nn.ParameterList(
            nn.Parameter(torch.randn(shape) * 0.1)
            for _ in range(num_layers)
            for shape in [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)] + [(d_model,)] * 4
        )
        self.all.append(nn.Parameter(torch.ones(d_model)))
        self.all.append(nn.Parameter(torch.zeros(d_model)))

    def forward(self, x, mask=None):
        *layers, gain, shift = self.all
        for at in range(self.count):
            q, k, v, o, up, down, g1, s1, g2, s2 = layers[10 * at : 10 * at + 10]
            split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            scores = split(x @ q) @ split(x @ k).transpose(-1, -2) / (x.shape[-1] // self.heads) ** 0.5
            if mask is not None:
                seen = mask.unsqueeze(1) if mask.dim() == 3 else mask
                scores = scores.masked_fill(~seen, -1e9)
            read = (scores.softmax(-1) @ split(x @ v)).transpose(1, 2).flatten(2) @ o
            x = F.layer_norm(x + self.drop(read), x.shape[-1:], g1, s1)
            x = F.layer_norm(x + self.drop((x @ up).relu() @ down), x.shape[-1:], g2, s2)
        return F.layer_norm(x, x.shape[-1:], gain, shift)
"""


def test_layers_in_one_list_are_as_many_as_are_asked_for(judged: Judge) -> None:
    assert judged("encoder", STACKED).lost == {}


def test_a_table_as_large_as_a_network_is_no_layer(judged: Judge) -> None:
    made = "self.stack = nn.ModuleList("
    code = (OWN / "encoder_stack.py").read_text()
    assert made in code
    for spare in ("self.rows = nn.Embedding(2 * d_ff, d_model)", "self.rows = nn.Embedding(5 * d_ff, d_model)"):
        assert judged("encoder", bare(code.replace(made, f"{spare}\n        {made}"))).lost == {}


@pytest.mark.parametrize(
    ("stem", "old", "new", "name"),
    [
        (
            "decoder_layer_wrapped",
            "self.cross(t, memory, src_mask)",
            "self.cross(t, self.wrap[1].norm(memory), src_mask)",
            "decoder-normalises-memory",
        ),
        (
            "encoder_layer_wrapped",
            "return self.norm(x + self.drop(sublayer(x)))",
            "return self.norm(x + self.drop(sublayer(self.norm(x))))",
            "enc-norm-before-and-after",
        ),
    ],
)
def test_a_norm_too_many_is_named(judged: Judge, stem: str, old: str, new: str, name: str) -> None:
    code = (OWN / f"{stem}.py").read_text()
    assert old in code
    assert judged(stem.rpartition("_")[0], bare(code.replace(old, new))).named == {name}
