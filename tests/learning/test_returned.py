"""What a stack returns is found among several values, whatever it embeds and scores itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from courses_of_states import STATES

from grader.learning.lesson import Learned
from grader.model.report import Report

DECODER = """
from torch import nn


class Parallel(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.heads = n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for f, x in ((self.q, query), (self.k, key), (self.v, value)))
        s = q @ k.mT / q.shape[-1] ** 0.5
        w = (s if mask is None else s.masked_fill(mask == 0, -1e9)).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2)), w


class Step(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.own, self.other = Parallel(d_model, n_heads), Parallel(d_model, n_heads)
        self.inner = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, trg, memory, trg_mask, src_mask):
        x = self.norms[0](trg + self.own(trg, trg, trg, trg_mask)[0])
        read, weights = self.other(x, memory, memory, src_mask)
        x = self.norms[1](x + read)
        return self.norms[2](x + self.inner(x)), weights


class Decoder(nn.Module):
    def __init__(self, output_dim, d_model, n_layers, n_heads, d_ff, max_len):
        super().__init__()
        self.table, self.scale = nn.Embedding(output_dim, d_model), d_model ** 0.5
        self.places = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(Step(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.words = nn.Linear(d_model, output_dim)

    def forward(self, trg, memory, trg_mask, src_mask):
        x = self.table(trg) * self.scale + self.places.weight[: trg.shape[1]]
        for layer in self.layers:
            x, weights = layer(x, memory, trg_mask, src_mask)
        return self.words(x), weights
"""


@pytest.mark.slow
@pytest.mark.torch
def test_logits_beside_weights_are_those_of_a_decoder(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    learned = teach(DECODER, tmp_path)
    assert learned.judged[-1].interface.conventions["output"] == "logits"
    report = graded(DECODER, tmp_path)
    assert report.score == report.max_score == 10
    assert graded(DECODER.replace(" * self.scale", ""), tmp_path).score < 10


@pytest.mark.slow
def test_what_a_backward_pass_needs_lies_beside_the_answer(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    learned = teach(STATES.solution, tmp_path)
    assert not [
        lesson.mistakes or lesson.questions for lesson in learned.lessons if lesson.mistakes or lesson.questions
    ]
    assert {lesson.component: lesson.interface.returns for lesson in learned.judged} == {
        **dict.fromkeys(
            ("softmax", "scaled_dot_product_attention", "dropout", "feed_forward", "layer_norm", "label_smoothing"),
            ("output", "_"),
        ),
        "adam": (),
    }
    assert "It returns output, a value that is not judged, in this order." in (tmp_path / "handout.md").read_text()
    lines = (tmp_path / "adapter.py").read_text()
    assert "{'p': 1 - p, 'mode': 'train' if training else 'test'}" in lines
    assert "'t': step - 1" in lines
    assert "return found[0], found[1]['m'], found[1]['v']" in lines
