# correct  component: encoder  style: a ModuleList and a final norm
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.kv, self.o = nn.Linear(d_model, d_model), nn.Linear(d_model, 2 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x, source, mask):
        q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k, v = self.kv(source).unflatten(-1, (2, self.h, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Norm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.a_2, self.b_2, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.a_2 * (x - mean) / torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + self.eps) + self.b_2


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm, self.drop = Norm(d_model), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
        self.wrap = nn.ModuleList([AddNorm(d_model, dropout), AddNorm(d_model, dropout)])
        self.attention = Attention(d_model, num_heads)

    def forward(self, x, mask=None):
        x = self.wrap[0](x, lambda t: self.attention(t, t, mask))
        return self.wrap[1](x, self.ff)


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.final = Norm(d_model)
        self.stack = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])

    def forward(self, x, mask=None):
        for layer in self.stack:
            x = layer(x, mask)
        return self.final(x)
