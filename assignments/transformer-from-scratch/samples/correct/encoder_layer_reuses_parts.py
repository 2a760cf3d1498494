# correct  component: encoder_layer
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        self.values = nn.Linear(d_model, d_model)
        self.keys = nn.Linear(d_model, d_model)
        self.queries = nn.Linear(d_model, d_model)
        self.fc_out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        N, n_q, E = query.shape
        v = self.values(value).reshape(N, -1, self.h, E // self.h)
        k = self.keys(key).reshape(N, -1, self.h, E // self.h)
        q = self.queries(query).reshape(N, n_q, self.h, E // self.h)
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, float("-1e20"))
        attention = torch.softmax(energy / math.sqrt(E // self.h), dim=3)
        out = torch.einsum("nhql,nlhd->nqhd", [attention, v]).reshape(N, n_q, E)
        return self.fc_out(out)


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))

    def forward(self, x):
        return self.net(x)


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.drop, self.norm = nn.Dropout(dropout), nn.LayerNorm(d_model)

    def forward(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.ff = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.addnorm1 = AddNorm(d_model, dropout)
        self.addnorm2 = AddNorm(d_model, dropout)

    def forward(self, x, mask=None):
        y = self.addnorm1(x, lambda t: self.self_attn(t, t, t, mask=mask))
        z = self.addnorm2(y, self.ff)
        return z
