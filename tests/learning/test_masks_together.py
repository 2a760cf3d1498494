"""Masks that one function returns together are asked for as what they are; what they are not is said in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from courses import HEAD

from grader.learning.lesson import Learned
from grader.model.report import Report

Teach = Callable[[str, Path], Learned]
Graded = Callable[[str, Path], Report]
TUPLE = """def create_masks(src, tgt, pad_id={pad}):
    seen = lambda ids: (ids != pad_id)[:, None, None, :]
    later = np.triu(np.ones((tgt.shape[1], tgt.shape[1])), 1) == 1
    return seen(src), seen(tgt) & ~later
"""
CONSTANT = """PAD_IDX = 1


def make_masks(sources, targets):
    n = targets.shape[1]
    back = np.arange(n) <= np.arange(n)[:, None]
    found = {"src": (sources != PAD_IDX)[:, None], "tgt": (targets != PAD_IDX)[:, None] & back}
    return {"src": found["src"], "tgt": found["tgt"]}
"""
BLOCKED = """def get_masks(inp, tar):
    padded = lambda ids: (ids == 0).astype(float)[:, None, None, :]
    both = np.maximum(padded(tar), 1 - np.tri(tar.shape[1]))
    return padded(inp), both, padded(inp)
"""
WITHIN = TUPLE.format(pad="0").replace(", pad_id=0", "").replace("pad_id", "1")
ALONE = """def make_src_mask(ids):
    return (ids != 0)[:, None, None, :]


def make_tgt_mask(ids):
    return make_src_mask(ids) & np.tri(ids.shape[1], dtype=bool)
"""
APART = """PAD = 2


def masks_of(src, tgt):
    n = len(tgt)
    tgt_mask = np.triu(np.full((n, n), -np.inf), 1)
    src_pad_mask, tgt_pad_mask = (src == PAD).T, (tgt == PAD).T
    return tgt_mask, src_pad_mask, tgt_pad_mask
"""
TOGETHER = [
    pytest.param(TUPLE.format(pad="0"), {"attention_masks": {}}, " & ~later", "", id="a pair"),
    pytest.param(CONSTANT, {"attention_masks": {"mask_axes": 3}}, " & back", "", id="a dict, padding as a constant"),
    pytest.param(
        BLOCKED,
        {"attention_masks": {"mask": "block", "padding_id": 0}},
        "1 - np.tri(",
        "np.tri(",
        id="three, ones that block",
    ),
    pytest.param(
        WITHIN, {"attention_masks": {"padding_id": 1}}, "~later", "later", id="an id of padding that is built in"
    ),
    pytest.param(
        ALONE, {"attention_masks": {"padding_id": 0}}, " & np.tri", " | np.tri", id="two functions, padding built in"
    ),
    pytest.param(
        APART,
        {"causal_mask": {"mask": "additive"}, "padding_mask": {"mask": "block"}},
        "-np.inf",
        "np.inf",
        id="apart",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("solution", "settled", "right", "wrong"), TOGETHER)
def test_masks_returned_together_are_learned(
    solution: str,
    settled: dict[str, dict[str, object]],
    right: str,
    wrong: str,
    tmp_path: Path,
    teach: Teach,
    graded: Graded,
) -> None:
    learned = teach(HEAD + solution, tmp_path)
    found = {one.component: one for one in learned.lessons}
    assert found.keys() == settled.keys()
    assert not any(one.mistakes or one.questions for one in found.values())
    for component, said in settled.items():
        assert said.items() <= found[component].interface.conventions.items()
    assert graded(HEAD + solution, tmp_path).score == 10 * len(settled)
    assert solution.count(right) == 1
    assert graded(HEAD + solution.replace(right, wrong), tmp_path).score < 10 * len(settled)


@pytest.mark.slow
def test_masks_that_are_none_of_the_papers_are_told_once_and_in_words(tmp_path: Path, teach: Teach) -> None:
    other = HEAD + "def make_masks(src, tgt):\n    return src * 3, tgt - 1\n\n\n"
    softmax = "def softmax(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"
    told = [one for one in teach(other + softmax, tmp_path).lessons if not one.judged]
    assert [(one.definition.name, len(one.questions)) for one in told] == [("make_masks", 1)]
    assert "returns several masks" in told[0].questions[0].text
    assert "adapter.py" in told[0].questions[0].text


ATTENTION = """

class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        draw = np.random.default_rng(0).normal
        self.h, self.W = num_heads, [draw(size=(d_model, d_model)) for _ in range(4)]

    def forward(self, q, k, v, mask=None):
        split = lambda x, w: (x @ w).reshape(*x.shape[:2], self.h, -1).swapaxes(1, 2)
        q, k, v = (split(x, w) for x, w in zip((q, k, v), self.W))
        s = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
        s = s if mask is None else np.where(mask, s, -np.inf)
        w = np.exp(s - s.max(-1, keepdims=True))
        read = w / w.sum(-1, keepdims=True) @ v
        return read.swapaxes(1, 2).reshape(len(q), q.shape[2], -1) @ self.W[3]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("masks", "shapes"),
    [
        (TUPLE.format(pad="0"), ["(b, 1, n, m)", "(b, 1, 1, m)"]),
        ("def padding_mask(ids):\n    return (ids != 0)[:, None, None, :]\n", ["(b, 1, n, m)", "(b, 1, 1, m)"]),
        ("", ["(n, m)", "(b, 1, 1, m)"]),
    ],
)
def test_the_masks_that_a_solution_makes_are_those_that_its_classes_are_given(
    masks: str, shapes: list[str], tmp_path: Path, teach: Teach, graded: Graded
) -> None:
    learned = teach(HEAD + masks + ATTENTION, tmp_path)
    found = next(one for one in learned.judged if one.component == "multi_head_attention")
    assert found.interface.conventions["mask_shapes"] == shapes
    whole_alone = ATTENTION.replace(
        "np.where(mask, s", "np.where(np.broadcast_to(mask, s.shape[:1] + mask.shape[1:]), s"
    )
    if masks:  # masks of two axes are not asked of anybody
        assert graded(HEAD + masks + whole_alone, tmp_path).score == 10 * len(learned.judged)


MODEL = """
import torch
from torch import nn


def make_masks(src, tgt, pad_id=0):
    hidden = lambda ids: torch.zeros(ids.shape).masked_fill(ids == pad_id, -torch.inf)[:, None, None]
    later = torch.full((tgt.shape[1], tgt.shape[1]), -torch.inf).triu(1)
    return hidden(src), hidden(tgt) + later


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (f(z).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, z in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / q.shape[-1] ** 0.5
        w = (s if mask is None else s + mask).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2))


class Sublayers(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, count):
        super().__init__()
        self.reads = nn.ModuleList(Attention(d_model, num_heads) for _ in range(count))
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(count + 1))

    def forward(self, x, own=None, memory=None, of_memory=None):
        x = self.norms[0](x + self.reads[0](x, x, own))
        if memory is not None:
            x = self.norms[1](x + self.reads[1](x, memory, of_memory))
        return self.norms[-1](x + self.net(x))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.words = nn.ModuleList([nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)])
        self.first = nn.ModuleList(Sublayers(d_model, num_heads, d_ff, 1) for _ in range(num_layers))
        self.last = nn.ModuleList(Sublayers(d_model, num_heads, d_ff, 2) for _ in range(num_layers))
        self.out, self.d = nn.Linear(d_model, tgt_vocab), d_model

    def placed(self, ids, side):
        angles = torch.arange(ids.shape[1])[:, None] / 10000 ** (torch.arange(0, self.d, 2) / self.d)
        return self.words[side](ids) * self.d**0.5 + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x, y = self.placed(src, 0), self.placed(tgt, 1)
        for layer in self.first:
            x = layer(x, src_mask)
        for layer in self.last:
            y = layer(y, tgt_mask, x, src_mask)
        return self.out(y)
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_model_that_hides_the_future_by_its_masks_alone_is_given_its_own(
    tmp_path: Path, teach: Teach, graded: Graded
) -> None:
    pytest.importorskip("torch")
    learned = teach(MODEL, tmp_path)
    said = {one.component: one.interface.conventions for one in learned.judged}
    model = said["transformer"]
    assert (model["mask"], model["mask_hides"], model["mask_required"]) == ("additive", "infinite", True)
    assert model["mask_shapes"]["src_mask"] == ["(b, 1, 1, m)"]
    assert model["mask_shapes"]["tgt_mask"][0] == "(b, 1, n, m)"
    assert graded(MODEL, tmp_path).score == 10 * len(said)
    assert graded(MODEL.replace("y = layer(y, tgt_mask,", "y = layer(y, None,"), tmp_path).score < 10 * len(said)


OF_MEMORY = MODEL.replace("src_mask=None, tgt_mask=None):", "src_mask=None, tgt_mask=None, memory_mask=None):").replace(
    "y = layer(y, tgt_mask, x, src_mask)", "y = layer(y, tgt_mask, x, memory_mask)"
)


@pytest.mark.slow
@pytest.mark.torch
def test_a_mask_of_the_memory_is_that_of_the_source(tmp_path: Path, teach: Teach, graded: Graded) -> None:
    pytest.importorskip("torch")
    (lesson,) = (one for one in teach(OF_MEMORY, tmp_path).judged if one.component == "transformer")
    assert not lesson.mistakes
    report = graded(OF_MEMORY, tmp_path)
    assert report.score == report.max_score
    assert graded(OF_MEMORY.replace("x, memory_mask)", "x, None)"), tmp_path).score < report.score


OF_PADDED = """def PadMask(padded_input, input_lengths):
    return np.arange(padded_input.shape[1]) >= np.asarray(input_lengths)[:, None]


def CausalMask(padded_input):
    return np.triu(np.ones((padded_input.shape[1], padded_input.shape[1])), 1) == 1
"""


@pytest.mark.slow
def test_masks_are_made_of_what_is_padded(teach: Teach, graded: Graded, tmp_path: Path) -> None:
    learned = teach(HEAD + OF_PADDED, tmp_path)
    assert {one.component: one.interface.conventions["mask"] for one in learned.judged} == {
        "padding_mask": "block", "causal_mask": "block",
    }  # fmt: skip
    for wrong, right in ((">", ">="), (", 0) == 1", ", 1) == 1")):
        report = graded(HEAD + OF_PADDED.replace(right, wrong), tmp_path)
        assert report.max_score / 2 <= report.score < report.max_score
    assert graded(HEAD + OF_PADDED, tmp_path).score == report.max_score
