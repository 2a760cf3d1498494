# faulty  component: decoder
# what: range(1, num_layers) builds one layer too few
import math
import torch
from torch import nn


class MHA(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.p = h, nn.ModuleList(nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, m):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in zip(self.p, (x, y, y)))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if m is not None:
            s = s.masked_fill(~(m[:, None] if m.dim() == 3 else m), float("-inf"))
        return self.p[3]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.mha, self.mha_cross = MHA(d_model, num_heads), MHA(d_model, num_heads)
        self.f1, self.f2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.l1, self.l2, self.l3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.d = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.l1(x + self.d(self.mha(x, x, tgt_mask)))
        x = self.l2(x + self.d(self.mha_cross(x, memory, src_mask)))
        return self.l3(x + self.d(self.f2(self.f1(x).relu())))


class Decoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout) for i in range(1, num_layers)])

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        for l in self.layers:
            x = l(x, memory, src_mask, tgt_mask)
        return x
