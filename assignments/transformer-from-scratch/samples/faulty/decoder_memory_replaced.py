# faulty  component: decoder
# what: after each layer the memory is replaced by the layer's output
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn, self.cross = Attn(d_model, num_heads), Attn(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.ln = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.ln[0](x + self.drop(self.attn(x, x, tgt_mask)))
        x = self.ln[1](x + self.drop(self.cross(x, memory, src_mask)))
        return self.ln[2](x + self.drop(self.ff(x)))


class Decoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        for layer in self.layers:
            x = memory = layer(x, memory, src_mask, tgt_mask)
        return x
