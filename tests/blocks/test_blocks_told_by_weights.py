"""Projections and tables that the weights themselves tell of."""

from __future__ import annotations

import pytest
from block_samples import Judge

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


def test_one_projection_for_all_heads_is_told_by_its_width(judged: Judge) -> None:
    shared = QUERIES.format(width="d_model // num_heads")
    assert judged("multi_head_attention", shared).named == {"mha-projection-of-one-head"}
    assert judged("multi_head_attention", QUERIES.format(width="d_model")).lost == {}


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
