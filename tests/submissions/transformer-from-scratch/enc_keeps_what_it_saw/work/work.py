import copy
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_k, self.weights, self.context = d_model // num_heads, None, None
        self.maps = nn.ModuleList([copy.deepcopy(nn.Linear(d_model, d_model)) for _ in range(4)])

    def forward(self, x, y, mask):
        q, k, v = (f(t).unflatten(-1, (-1, self.d_k)).transpose(1, 2) for f, t in zip(self.maps, (x, y, y)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill((mask[:, None] if mask.dim() == 3 else mask) == 0, -1e9)
        self.weights = scores.softmax(-1)  # looked at in the notebook
        self.context = self.weights @ v
        return self.maps[-1](self.context.transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attention, self.seen = Attention(d_model, num_heads), {}
        self.network = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(2)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        self.seen["input"] = x
        x = self.norms[0](x + self.dropout(self.attention(x, x, mask)))
        self.seen["middle"], self.last = x, x
        return self.norms[1](x + self.dropout(self.network(x)))
