# misconception: enc-norm-on-sublayer-only  component: encoder_layer
import math
import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, sublayer, d_model, dropout):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, *args):
        return x + self.dropout(self.norm(self.sublayer(x, *args)))


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.wv, self.wk, self.wq, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = (w(x).view(b, n, self.h, d // self.h).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        a = q @ k.transpose(2, 3) / math.sqrt(d // self.h)
        if mask is not None:
            a = a.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.wo((a.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = Residual(Attn(d_model, num_heads), d_model, dropout)
        ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.ff = Residual(ff, d_model, dropout)

    def forward(self, x, mask=None):
        return self.ff(self.attn(x, mask))
