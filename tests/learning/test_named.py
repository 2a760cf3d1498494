"""A mistake of the solution has its name, too, where it stands beside what its course settles otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CAUSAL_BY_ITSELF = """
import math
import torch
from torch import nn

class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h, self.d = num_heads, d_model
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.h, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d)
        scores = scores.masked_fill(torch.ones(n, n).tril() == 0, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))
"""


def test_a_mistake_in_what_is_causal_by_itself_has_its_name(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    (lesson,) = teach(CAUSAL_BY_ITSELF, tmp_path).judged
    assert lesson.interface.conventions["causal"] is True
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"mha-scale-by-d-model"}


NORM_FIRST = """
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return self.gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.shift

class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.attend, self.drop = nn.MultiheadAttention(d_model, num_heads, batch_first=True), nn.Dropout(dropout)
        self.think = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.first, self.second = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x):
        x = self.first(x)
        x = x + self.drop(self.attend(x, x, x, need_weights=False)[0])
        return x + self.drop(self.think(self.second(x)))
"""


def test_a_mistake_has_its_name_beside_what_the_other_parts_keep(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    norm, layer = teach(NORM_FIRST, tmp_path).judged
    assert norm.interface.conventions["deviation"] == layer.interface.conventions["deviation"] == "unbiased"
    assert layer.interface.conventions["norm"] == "pre"
    assert not norm.mistakes
    assert {one.diagnosis.id for one in layer.mistakes if one.diagnosis} == {"enc-norm-before-both"}


ONE_TABLE = """
import torch
from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.look, self.cross = (nn.MultiheadAttention(d_model, num_heads, batch_first=True) for _ in range(2))
        self.think = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, x, memory, tgt_mask):
        y = self.norms[0](x + self.look(x, x, x, attn_mask=~tgt_mask)[0])
        y = self.norms[1](y + self.cross(x, memory, memory)[0])
        return self.norms[2](y + self.think(y))


class Transformer(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, d_ff, max_len):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        at = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("table", torch.stack([at.sin(), at.cos()], dim=-1).flatten(1))
        layer = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False)
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.out = nn.Linear(d_model, vocab_size)

    def embed(self, ids):
        return self.words(ids) * self.table.shape[1] ** 0.5 + self.table[: ids.shape[1]]

    def forward(self, src, tgt, tgt_mask):
        memory, y = self.encoder(self.embed(src)), self.embed(tgt)
        for layer in self.decoder:
            y = layer(y, memory, tgt_mask)
        return self.out(y)
"""


def test_a_whole_settles_what_a_slip_of_its_part_hides(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    found = {lesson.component: lesson for lesson in teach(ONE_TABLE, tmp_path).judged}
    slips = {one.diagnosis.id for one in found["decoder_layer"].mistakes if one.diagnosis}
    assert slips == {"dec-cross-query-from-layer-input"}
    assert found["transformer"].interface.conventions["tables"] == "one"
    assert not found["transformer"].mistakes


def test_a_decoder_that_hides_the_future_by_itself_is_asked_for(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    """Beside masks of padding alone, which some decoders leave to the model around them."""
    layer = ONE_TABLE.partition("class Transformer")[0]
    by_itself = layer.replace("(self, x, memory, tgt_mask):", "(self, x, memory, tgt_mask=None):").replace(
        "self.look(x, x, x, attn_mask=~tgt_mask)",
        "self.look(x, x, x, attn_mask=torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1),"
        " key_padding_mask=tgt_mask)",
    )
    (lesson,) = teach(by_itself.replace("self.cross(x, memory", "self.cross(y, memory"), tmp_path).judged
    assert not lesson.mistakes
    assert lesson.interface.conventions["causal"] is True


LOST_MASK = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            f(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            for f, x in ((self.q, query), (self.k, key), (self.v, value))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores.masked_fill(mask == 0, -torch.inf)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


def test_masks_that_run_are_promised_and_what_they_do_is_named(
    teach: Callable[[str, Path], Learned], tmp_path: Path
) -> None:
    (lesson,) = teach(LOST_MASK, tmp_path).judged
    assert lesson.interface.conventions["mask_shapes"]
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"sdpa-ignores-mask"}
