"""Courses whose code takes one sequence, without an axis for a batch: learned, right, and wrong ones named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned
from grader.model.report import Report

Teach = Callable[[str, Path], Learned]
Graded = Callable[[str, Path], Report]

OF_ARRAYS = """
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class LayerNorm:
    def __init__(self, width):
        self.gain, self.shift = np.ones(width), np.zeros(width)

    def forward(self, x):
        apart = x - x.mean(-1, keepdims=True)
        return self.gain * apart / np.sqrt((apart ** 2).mean(-1, keepdims=True) + 1e-5) + self.shift


class MultiHeadAttention:
    def __init__(self, width, heads):
        self.heads = heads
        self.q, self.k, self.v, self.o = (np.random.randn(width, width) for _ in range(4))

    def forward(self, x, mask=None):
        read = []
        for q, k, v in zip(*(np.split(x @ w, self.heads, axis=1) for w in (self.q, self.k, self.v))):
            scores = q @ k.T / np.sqrt(q.shape[1])
            scores = scores if mask is None else np.where(mask, scores, -1e9)
            read.append(softmax(scores) @ v)
        return np.concatenate(read, axis=1) @ self.o


class EncoderLayer:
    def __init__(self, width, heads, wide):
        self.attention, self.first, self.second = MultiHeadAttention(width, heads), LayerNorm(width), LayerNorm(width)
        self.up, self.down = np.random.randn(width, wide), np.random.randn(wide, width)

    def forward(self, x, mask=None):
        x = self.first.forward(x + self.attention.forward(x, mask))
        return self.second.forward(x + np.maximum(x @ self.up, 0) @ self.down)
"""
OF_TENSORS = """
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.all, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, width = x.shape
        q, k, v = self.all(x).view(n, 3, self.heads, width // self.heads).permute(1, 2, 0, 3)
        scores = q @ k.transpose(1, 2) / (width // self.heads) ** 0.5
        later = torch.ones(n, n, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(0, 1).reshape(n, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.one, self.two = SelfAttention(width, heads), nn.LayerNorm(width), nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.network(self.two(x))


class LanguageModel(nn.Module):
    def __init__(self, vocab_size, width, heads, n_layers, block_size):
        super().__init__()
        self.words, self.places = nn.Embedding(vocab_size, width), nn.Embedding(block_size, width)
        self.blocks, self.last = nn.ModuleList(Block(width, heads) for _ in range(n_layers)), nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(len(ids)))
        for block in self.blocks:
            x = block(x)
        return self.head(self.last(x))
"""
COURSES = {"arrays": OF_ARRAYS, "tensors": OF_TENSORS}
WRONG = [
    ("arrays", " / np.sqrt(q.shape[1])", "", "sdpa-no-scale"),
    ("arrays", "self.first.forward(x + self", "self.first.forward(self", "enc-missing-residual"),
    ("arrays", "np.maximum(x @ self.up, 0)", "(x @ self.up)", "ffn-missing-activation"),
    ("tensors", "triu(1)", "triu(2)", "sdpa-causal-mask-leaks"),
    ("tensors", " + self.places(torch.arange(len(ids)))", "", "trf-no-positional-encoding"),
    ("tensors", "range(n_layers)", "range(2)", "stack-of-another-depth"),
]


@pytest.mark.torch
@pytest.mark.parametrize(("course", "parts"), [("arrays", 4), ("tensors", 3)])
def test_a_course_without_batches_is_learned_and_right(
    course: str, parts: int, teach: Teach, graded: Graded, tmp_path: Path
) -> None:
    learned = teach(COURSES[course], tmp_path)
    alone = [one for one in learned.judged if one.interface.conventions.get("batch") == "none"]
    assert len(learned.judged) == parts == len(learned.lessons)
    assert {one.component for one in learned.judged} - {one.component for one in alone} <= {"softmax"}
    report = graded(COURSES[course], tmp_path)
    assert report.score == report.max_score
    assert "one sequence in a call" in (tmp_path / "handout.md").read_text()


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(("course", "right", "wrong", "name"), WRONG)
def test_a_wrong_hand_in_to_such_a_course_is_named(
    course: str, right: str, wrong: str, name: str, teach: Teach, graded: Graded, tmp_path: Path
) -> None:
    teach(COURSES[course], tmp_path)
    report = graded(COURSES[course].replace(right, wrong), tmp_path)
    told = [one.diagnosis for mark in report.marks for one in mark.outcomes if one.diagnosis]
    named = {id_ for one in told for id_ in one.ids}
    assert named == {name}
    assert report.score < report.max_score
