"""The copy task is judged by what the grader measures: handing the source through has learned nothing."""

from __future__ import annotations

import numpy as np
import pytest
from block_samples import ROOT, Judge

from grader.components import copy_task

pytestmark = pytest.mark.torch

RIGHT = ROOT / "assignments" / "transformer-from-scratch" / "samples" / "correct" / "transformer_flat_parameters.py"

HEAD = """
import torch
from torch import nn
class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.size = tgt_vocab
        self.sharp = nn.Parameter(torch.ones(1))
        self.words = {}
    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
"""
THROUGH = """
        ends = torch.full((len(src), 1), 2)
        said = torch.cat((src, ends), dim=1)[:, :tgt.shape[1]]
        return self.sharp.exp() * nn.functional.one_hot(said, self.size).float()
"""
LOOKED_UP = """
        for row, written in zip(src.tolist(), tgt.tolist()):
            self.words.update(zip(row, written[1:]))
        known = torch.tensor([[self.words.get(word, 0) for word in row] + [2] for row in src.tolist()])
        return self.sharp.exp() * nn.functional.one_hot(known[:, :tgt.shape[1]], self.size).float()
"""


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_a_right_model_learns_the_dictionary_whatever_is_drawn(judged: Judge, seed: int) -> None:
    assert judged("copy_task", RIGHT.read_text(), seed=seed).said == {}


@pytest.mark.slow
def test_a_model_that_hands_its_source_through_passes_nothing(judged: Judge) -> None:
    found = judged("copy_task", HEAD + THROUGH)
    assert set(found.lost) == {"learns", "repeats_unseen_sequences"}
    assert "0 of 40 unseen sequences are copied" in found.said["repeats_unseen_sequences"][1]


@pytest.mark.slow
def test_a_model_that_notes_the_words_down_and_is_no_transformer_does_not_pass_on_that(judged: Judge) -> None:
    assert "repeats_unseen_sequences" in judged("copy_task", HEAD + LOOKED_UP).lost


@pytest.mark.parametrize("logits", ["nan", "1e300", "None"])
def test_scores_that_are_no_numbers_are_no_learning(judged: Judge, logits: str) -> None:
    value = "None" if logits == "None" else f"torch.full((*tgt.shape, self.size), float('{logits}')) * self.sharp"
    assert "learns" in judged("copy_task", f"{HEAD}        return {value}\n").lost


def test_no_word_stands_for_itself_and_the_dictionary_differs_by_submission() -> None:
    drawn = [copy_task._dictionary(np.random.default_rng([seed, 23])) for seed in range(30)]
    words = np.arange(copy_task.SIZES.src_vocab)
    for each in drawn:
        assert each[:3].tolist() == [0, 1, 2]
        assert len(set(each.tolist())) == len(words)
        assert not (each[3:] == words[3:]).any()
        assert each.max() < copy_task.SIZES.tgt_vocab
    assert len({tuple(each.tolist()) for each in drawn}) == len(drawn)


def test_the_loss_is_the_mean_cross_entropy() -> None:
    targets = np.array([[1, 3, 2]])
    scores = np.zeros((1, 2, copy_task.SIZES.tgt_vocab))
    assert copy_task._loss(scores, targets) == pytest.approx(np.log(copy_task.SIZES.tgt_vocab))
    scores[0, 0, 3] = scores[0, 1, 2] = 50.0
    assert copy_task._loss(scores, targets) == pytest.approx(0.0, abs=1e-9)
    assert copy_task._loss(scores[:, :1], targets) == np.inf
