"""Positions are judged as the course has them: whether their table is trained, and what an embedding adds of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from block_samples import Judge

from grader import components as catalogue
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

TRAINED, FIXED = (SimpleNamespace(name="table", trained=True),), ()


@pytest.mark.parametrize("part", ["language_model", "encoder", "decoder"])
@pytest.mark.parametrize(
    ("declared", "table", "verdict"),
    [
        (True, TRAINED, Verdict.PASSED),
        (True, FIXED, Verdict.FAILED),
        (False, FIXED, Verdict.PASSED),
        (False, TRAINED, Verdict.FAILED),
    ],
)
def test_what_is_declared_of_the_table_is_judged(part: str, declared: bool, table: Any, verdict: Verdict) -> None:
    conventions = {"form": "class", "learned_positions": declared}
    parameters = ("ids", *catalogue.block(part).parameters[1:])
    interface = Interface(part, "Model", parameters=parameters, conventions=conventions)
    block = catalogue.of(interface)
    check = next(one for one in block.checks if one.name == "table_is_trained_or_not")
    assert check.name in block.asked(interface)
    assert check.title.endswith("is trained" if declared else "is not trained")
    making = SimpleNamespace(said=conventions)
    subject: Any = SimpleNamespace(fault=None, material=SimpleNamespace(positions=table), making=making)
    assert check.judge(subject).verdict is verdict


def test_what_is_not_declared_of_the_table_is_not_asked() -> None:
    for part in ("language_model", "encoder", "decoder"):
        interface = Interface(part, "Model", parameters=("ids",), conventions={"form": "class"})
        assert "table_is_trained_or_not" not in catalogue.of(interface).asked(interface)


EMBEDDING = """
import math
import torch
from torch import nn

def table(max_len, d_model):
    angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)

class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model, max_len):
        super().__init__()
        self.rows, self.width = nn.Embedding(vocab, d_model), d_model
        self.register_buffer("places", table(max_len, d_model))

    def forward(self, ids):
        x, n = self.rows(ids) * math.sqrt(self.width), ids.shape[1]
        return x + self.places[:n]
"""
HELD = 'self.register_buffer("places", table(max_len, d_model))'
SUM = "x + self.places[:n]"
WRONG = {
    "pe-sin-cos-swapped": ("[angle.sin(), angle.cos()]", "[angle.cos(), angle.sin()]"),
    "pe-exponent-doubled": ("(torch.arange(0, d_model, 2) /", "(torch.arange(0, d_model, 2) * 2 /"),
    "pe-positions-from-one": ("torch.arange(max_len)[:, None]", "torch.arange(1, max_len + 1)[:, None]"),
    "trf-pe-by-sample": (SUM, "x + self.places[: len(ids), None]"),
    "trf-pe-multiplied": (SUM, "x * self.places[:n]"),
    "trf-pe-from-the-end": (SUM, "x + self.places[:n].flip(0)"),
    "trf-embed-scale-after-pe": (SUM, "x + self.places[:n] * math.sqrt(self.width)"),
    "course-added-positions-none": (SUM, "x"),
    "course-added-positions-halves": (".flatten(1)", ".transpose(1, 2).flatten(1)"),
    "embedding-no-scale": (" * math.sqrt(self.width)", ""),
    "": (SUM, "torch.cat([(x + self.places[:n])[:1], x[1:]])"),
}


@pytest.mark.sampled(3)
@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "edit"),
    [
        *(
            (None, (HELD, held))
            for held in (HELD, HELD[:-1] + "[None])", "self.places = nn.Parameter(table(max_len, d_model))")
        ),
        *WRONG.items(),
    ],
)
def test_the_positions_that_an_embedding_adds_are_right_or_named(
    judged: Judge, name: str | None, edit: tuple[str, str]
) -> None:
    assert edit[0] in EMBEDDING
    said = {"form": "class", "added_positions": "interleaved", "constructor": ["vocab", "d_model", "max_len"]}
    code = EMBEDDING.replace(*edit).replace("self.places[:n]", "self.places[..., :n, :]")
    found = judged("token_embedding", code, parameters=("ids",), conventions=said)
    assert bool(found.lost) is (name is not None), found.said
    assert found.named == ({name} if name else set())


FROM_ONE = """
import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        angles = torch.arange(max_len + {more})[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        self.register_buffer("waves", waves)

    def forward(self, x):
        return x + self.waves[1 : x.shape[1] + 1]
"""


@pytest.mark.torch
@pytest.mark.parametrize("more", [0, 1], ids=["the last row is missing", "a row more"])
def test_rows_that_are_added_from_one_have_their_name_where_the_table_is_too_short_as_well(
    judged: Judge, more: int
) -> None:
    found = judged("positional_encoding", FROM_ONE.format(more=more), parameters=("x",), conventions={"form": "class"})
    assert found.named == {"pe-positions-from-one"}


BY_LENGTH = """
import torch
from torch import nn

class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[None])

    def forward(self, x):
        return x + self.places[:, : x.size(1)]
"""


@pytest.mark.torch
@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("self.places[:, : x.size(1)]", set()),
        ("self.places[:, : x.size(0)]", {"pe-rows-by-sample"}),
        ("self.places[0, : len(x)]", {"pe-rows-by-sample"}),
        ("self.places[0, : len(x), None]", {"pe-rows-by-sample"}),
        ("self.places[:, : x.size(1) - 1]", set()),
    ],
)
def test_rows_by_the_size_of_the_batch_have_their_name_where_they_raise(
    judged: Judge, rows: str, named: set[str]
) -> None:
    found = judged("positional_encoding", BY_LENGTH.replace("self.places[:, : x.size(1)]", rows))
    assert found.named == named
    assert bool(found.lost) == (rows != "self.places[:, : x.size(1)]")


MODEL = """
import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, width, heads, wide):
        super().__init__()
        self.heads, self.all, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Linear(width, wide), nn.ReLU(), nn.Linear(wide, width))
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.all(x).chunk(3, -1))
        read = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = self.n1(x + self.out(read.transpose(1, 2).flatten(2)))
        return self.n2(x + self.net(x))


class LanguageModel(nn.Module):
    def __init__(self, vocab, width, heads, count, wide, longest):
        super().__init__()
        self.words, self.places = nn.Embedding(vocab, width), nn.Embedding(longest, width)
        self.layers = nn.ModuleList(Layer(width, heads, wide) for _ in range(count))
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
"""
AT = "torch.arange(ids.shape[1], device=ids.device)"
IN_A_MODEL = {
    "": (AT, AT),
    "trf-pe-by-token": (AT, "ids"),
    "trf-pe-from-one": (AT, f"{AT} + 1"),
    "trf-pe-from-the-end": (AT, f"{AT}.flip(0)"),
    "stack-of-another-depth": ("range(count)", "range(2)"),
}


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_MODEL)
def test_places_and_layers_of_a_model_are_right_or_named(judged: Judge, name: str) -> None:
    made = ["vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len"]
    code = MODEL.replace(*IN_A_MODEL[name])
    said = {"constructor": made, "embedding_scale": "none"}
    found = judged("language_model", code, parameters=("ids",), conventions=said)
    assert found.named == ({name} if name else set()), found.said
    assert all(outcome.diagnosis for outcome in found.lost.values())
