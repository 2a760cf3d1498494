"""A course whose solution is one script: sizes are constants at its top, data is read, and a model is trained below."""

from __future__ import annotations

from courses import Course

SCRIPT = Course(
    """
import math
import torch
from torch import nn

batch_size, width, n_heads = 8, 64, 4
d_k = d_v = width // n_heads
inner_size = 96

words = sorted(set(open("corpus.txt").read().split()))
vocab_size = len(words)


class ScaledDotProductAttention(nn.Module):
    def forward(self, Q, K, V, mask):
        scores = Q @ K.transpose(-1, -2) / math.sqrt(d_k)
        weights = scores.masked_fill(mask, -1e9).softmax(-1)
        return weights @ V, weights


class MultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q = nn.Linear(width, d_k * n_heads)
        self.W_K = nn.Linear(width, d_k * n_heads)
        self.W_V = nn.Linear(width, d_v * n_heads)
        self.last = nn.Linear(n_heads * d_v, width)

    def split(self, x, size):
        return x.view(x.size(0), -1, n_heads, size).transpose(1, 2)

    def forward(self, Q, K, V, mask):
        q, k, v = self.split(self.W_Q(Q), d_k), self.split(self.W_K(K), d_k), self.split(self.W_V(V), d_v)
        mask = mask.unsqueeze(1).repeat(1, n_heads, 1, 1)
        found, weights = ScaledDotProductAttention()(q, k, v, mask)
        return self.last(found.transpose(1, 2).reshape(Q.size(0), -1, n_heads * d_v)), weights


class PositionwiseFeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(width, inner_size), nn.Linear(inner_size, width)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.network = MultiHeadAttention(), PositionwiseFeedForward()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        found, weights = self.attention(x, x, x, mask)
        x = self.first(x + found)
        return self.second(x + self.network(x)), weights


model = EncoderLayer()
for epoch in range(3):
    print(model(torch.zeros(batch_size, len(words), width), None))
""",
    "",
    {
        "scaled_dot_product_attention": {"mask": "block", "mask_required": True},
        "multi_head_attention": {"mask": "block", "mask_required": True},
        "encoder_layer": {"mask": "block", "mask_required": True},
    },
    (
        ("sdpa-no-scale", " / math.sqrt(d_k)", ""),
        ("mha-merge-without-transpose", "found.transpose(1, 2).reshape", "found.reshape"),
        ("ffn-wrong-activation", "torch.relu(self.inner(x))", "torch.tanh(self.inner(x))"),
        ("enc-missing-residual", "self.second(x + self.network(x))", "self.second(self.network(x))"),
    ),
)
