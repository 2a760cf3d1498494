"""A course whose masks hold 1 where a key is blocked, passed in every call, and whose attention returns its weights."""

from __future__ import annotations

from courses import Course

TUTORIAL = Course(
    """
import torch
from torch import nn


def scaled_dot_product_attention(q, k, v, mask):
    logits = torch.matmul(q, k.transpose(-1, -2)) / k.shape[-1] ** 0.5
    if mask is not None:
        logits = logits + mask * -1e9
    weights = torch.softmax(logits, dim=-1)
    return torch.matmul(weights, v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads, self.depth = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.dense = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, x):
        return x.reshape(len(x), -1, self.num_heads, self.depth).permute(0, 2, 1, 3)

    def forward(self, v, k, q, mask):
        q, k, v = self.split(self.wq(q)), self.split(self.wk(k)), self.split(self.wv(v))
        read, weights = scaled_dot_product_attention(q, k, v, mask)
        read = read.permute(0, 2, 1, 3)
        return self.dense(read.reshape(len(read), -1, self.num_heads * self.depth)), weights


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, dff, rate=0.1):
        super().__init__()
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, dff), nn.ReLU(), nn.Linear(dff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model, eps=1e-6), nn.LayerNorm(d_model, eps=1e-6)
        self.dropout1, self.dropout2 = nn.Dropout(rate), nn.Dropout(rate)

    def forward(self, x, mask):
        read, _ = self.mha(x, x, x, mask)
        x = self.norm1(x + self.dropout1(read))
        return self.norm2(x + self.dropout2(self.ffn(x)))


class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, dff, vocab_size, max_len, rate=0.1):
        super().__init__()
        self.scale, self.embedding = d_model**0.5, nn.Embedding(vocab_size, d_model)
        angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("table", torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1))
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, dff, rate) for _ in range(num_layers)])
        self.dropout = nn.Dropout(rate)

    def forward(self, x, mask):
        x = self.dropout(self.embedding(x) * self.scale + self.table[: x.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        return x
""",
    "",
    {
        "scaled_dot_product_attention": {"mask": "block"},
        "multi_head_attention": {"mask": "block", "mask_required": True},
        "encoder": {"mask": "block", "mask_required": True},
    },
    (
        ("sdpa-softmax-over-query-axis", "torch.softmax(logits, dim=-1)", "torch.softmax(logits, dim=-2)"),
        ("sdpa-mask-polarity-inverted", "mask * -1e9", "(mask == 0) * -1e9"),
        ("sdpa-fill-positive", "mask * -1e9", "mask * 1e9"),
        ("sdpa-ignores-mask", "logits = logits + mask * -1e9", "logits.masked_fill(mask == 1, -1e9)"),
        ("sdpa-scores-bent", "torch.matmul(q, k.transpose(-1, -2)) /", "torch.matmul(q, k.transpose(-1, -2)).abs() /"),
        ("sdpa-never-itself", "torch.softmax(logits, dim=-1)",
         "torch.softmax(logits, dim=-1) * (1 - torch.eye(logits.shape[-2], logits.shape[-1]))"),
        ("mha-relu-on-projections", "self.split(self.wq(q))", "self.split(self.wq(q)).relu()"),
        ("mha-merge-without-transpose", "        read = read.permute(0, 2, 1, 3)\n", ""),
        ("trf-embed-scale-missing", "self.embedding(x) * self.scale", "self.embedding(x)"),
        ("trf-layers-share-weights", "([EncoderLayer(d_model, num_heads, dff, rate) for _ in range(num_layers)])",
         "([EncoderLayer(d_model, num_heads, dff, rate)] * num_layers)"),
    ),
)  # fmt: skip

LAST = Course(
    """
import torch
from torch import nn


def subsequent_mask(n):
    return (torch.arange(n)[:, None] >= torch.arange(n)).unsqueeze(-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads=8):
        super().__init__()
        assert d_model % heads == 0
        self.h, self.width = heads, d_model // heads
        self.q, self.k, self.v, self.out = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, *, query, key, value, mask=None, causal=False):
        given = ((self.q, query), (self.k, key), (self.v, value))
        q, k, v = (f(x).unflatten(-1, (self.h, self.width)) for f, x in given)
        scores = torch.einsum("ibhd,jbhd->ijbh", q, k) * self.width ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(-1) == 0, float("-inf"))
        return self.out(torch.einsum("ijbh,jbhd->ibhd", scores.softmax(1), v).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))

    def forward(self, x, mask, cache):
        x = self.norms[0](x + self.attention(query=x, key=x, value=x, mask=mask))
        return self.norms[1](x + self.down(self.up(x).relu()))
""",
    """
import math
import torch
import torch.nn as nn


def subsequent_mask(n):
    return torch.ones(n, n, 1, dtype=torch.bool).transpose(0, 2).tril().transpose(0, 2).transpose(0, 1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads=8):
        super().__init__()
        if d_model % heads:
            raise ValueError("heads do not divide the width")
        self.heads = heads
        self.together = nn.Linear(d_model, d_model * 3)
        self.o = nn.Linear(d_model, d_model)

    def forward(self, *, query, key, value, mask=None, causal=False):
        parts = zip(self.together.weight.chunk(3), self.together.bias.chunk(3))
        split = lambda x: x.unflatten(2, (self.heads, -1)).permute(1, 2, 0, 3)
        q, k, v = (split(x @ w.T + b) for x, (w, b) in zip((query, key, value), parts))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask.permute(2, 0, 1)[:, None], -1e9)
        return self.o((torch.softmax(s, -1) @ v).permute(2, 0, 1, 3).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.one, self.two, self.mha = nn.LayerNorm(d_model), nn.LayerNorm(d_model), MultiHeadAttention(d_model)
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, mask, cache):
        y = self.one(self.mha(query=x, key=x, value=x, mask=mask) + x)
        return self.two(self.net(y) + y)
""",
    {
        "causal_mask": {"mask_axes": "batch_last"},
        "multi_head_attention": {"batch": "second", "mask_shapes": ["(n, m, 1)", "(1, m, b)"]},
        "encoder_layer": {"batch": "second", "sizes": {"num_heads": 8, "d_model": 56}},
    },
    (
        ("sdpa-mask-polarity-inverted", "mask.unsqueeze(-1) == 0", "mask.unsqueeze(-1) != 0"),
        ("course-mask-axes-2", "torch.arange(n)).unsqueeze(-1)", "torch.arange(n))"),
        ("sdpa-no-scale", " * self.width ** -0.5", ""),
    ),
)  # fmt: skip

HEADS = Course(
    """
import numpy as np


def attention(query, key, value, mask=None):
    scores = np.einsum("bhnd,bhmd->bhnm", query, key) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask[:, None], scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return np.einsum("bhnm,bhmd->bhnd", weights, value)


class LayerNorm:
    def __init__(self, d_model, eps=1e-6):
        self.gamma, self.beta, self.eps = np.ones(d_model), np.zeros(d_model), eps

    def __call__(self, x):
        spread = np.sqrt(x.var(-1, keepdims=True) + self.eps)
        return self.gamma * (x - x.mean(-1, keepdims=True)) / spread + self.beta


class TokenEmbedding:
    def __init__(self, vocab_size, d_model, max_len):
        self.table = np.random.default_rng(0).normal(size=(vocab_size, d_model))
        angles = np.arange(max_len)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
        self.places = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(max_len, d_model)

    def forward(self, ids):
        return self.table[ids] + self.places[: ids.shape[1]]


class AddNorm:
    def __init__(self, d_model):
        self.norm = LayerNorm(d_model)

    def forward(self, inputs, x):
        return self.norm(inputs + x)
""",
    "",
    {
        "scaled_dot_product_attention": {"mask_heads": False},
        "token_embedding": {"added_positions": "interleaved", "embedding_scale": "none"},
        "add_norm": {"constructor": ["d_model"]},
    },
    (
        ("sdpa-no-scale", " / np.sqrt(query.shape[-1])", ""),
        ("sdpa-mask-polarity-inverted", "mask[:, None], scores, -1e9", "mask[:, None], -1e9, scores"),
        ("pe-sin-cos-swapped", "[np.sin(angles), np.cos(angles)]", "[np.cos(angles), np.sin(angles)]"),
        ("course-added-positions-none", "self.table[ids] + self.places[: ids.shape[1]]", "self.table[ids]"),
        ("enc-missing-residual", "self.norm(inputs + x)", "self.norm(x)"),
    ),
)
"""Masks without the heads, an embedding that adds positions, and an input beside what a sublayer has made of it."""
