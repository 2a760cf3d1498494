"""Layers that are handed a table of rotations: it is made by the solution's own function, call by call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning import rotations
from grader.learning.definitions import definitions
from grader.learning.lesson import Learned
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule

COMPLEX = """
import torch
from torch import nn


def make_freqs(head_dim, rows, base=10000.0):
    turns = torch.arange(rows)[:, None] / base ** (torch.arange(0, head_dim, 2) / head_dim)
    return torch.polar(torch.ones_like(turns), turns)


def turned(x, table):
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * table.to(pairs.dtype)).flatten(-2)


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, x, freqs):
        q, k, v = (f(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        q, k = turned(q, freqs), turned(k, freqs)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones_like(scores[0, 0]).triu(1).bool(), -torch.inf)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
APART = (
    COMPLEX.replace("make_freqs(", "make_rope(")
    .replace("torch.polar(torch.ones_like(turns), turns)", "turns.cos(), turns.sin()")
    .replace("(x, table)", "(x, cos, sin)")
    .replace("pairs * table.to(pairs.dtype)", "pairs * torch.complex(cos, sin).to(pairs.dtype)")
    .replace("(self, x, freqs)", "(self, x, cos, sin)")
    .replace("turned(q, freqs), turned(k, freqs)", "turned(q, cos, sin), turned(k, cos, sin)")
)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("code", [COMPLEX, APART], ids=["complex", "cosines and sines"])
def test_a_table_that_is_handed_to_a_layer_is_made_in_each_call(
    code: str, teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    (lesson,) = teach(code, tmp_path).judged
    assert lesson.interface.conventions["rotary"] == "interleaved"
    assert not lesson.mistakes
    report = graded(code, tmp_path)
    assert report.score == report.max_score
    wrong = graded(code.replace("turned(k, ", "(lambda k, *_: k)(k, "), tmp_path)
    found = [one for mark in wrong.marks for one in mark.outcomes]
    assert {one.diagnosis.id for one in found if one.diagnosis} == {"mha-rotary-one-alone"}


@pytest.mark.parametrize(
    ("make", "made"),
    [
        ("def make_freqs(dim, end, theta=1e4): return 1", "work.make_freqs(sizes.d_k, x.shape[1])"),
        ("def rope_table(seq_len, head_dim): return 1", "work.rope_table(x.shape[1], sizes.d_k)"),
        ("def rope_table(seq_len, head_dim): return 1, 2", ""),
        ("def rope_table(seq_len, head_dim, lots): return 1", ""),
        ("def table(seq_len, head_dim): return 1", ""),
    ],
)
def test_what_makes_the_table_is_told_by_its_name_and_sizes(make: str, made: str) -> None:
    code = f"{make}\n\n\nclass Attention(nn.Module):\n    def forward(self, x, freqs): return x\n"
    known = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])
    entries = [way["entry"] for way in rotations.calls(known["Attention"], ("x", "mask"), known)]
    assert entries == ([f"thing(x, {made})"] if made else [])


@pytest.mark.torch
@pytest.mark.slow
def test_what_no_word_tells_is_named_in_the_question(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    code = COMPLEX.replace("def make_freqs(head_dim, rows,", "def make_freqs(head_dim, rows, lots,")
    net = "\n\nclass FeedForward(nn.Module):\n    def __init__(self, d_model, d_ff):\n        super().__init__()\n"
    net += "        self.one, self.two = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)\n\n"
    net += "    def forward(self, x):\n        return self.two(self.one(x).relu())\n"
    lesson = next(one for one in teach(code + net, tmp_path).lessons if one.component == "multi_head_attention")
    assert not lesson.judged
    assert "freqs" in lesson.questions[0].text.partition("Nothing tells what ")[2]
