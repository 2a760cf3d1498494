# correct  component: encoder
import math
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.h, self.d = h, d
        self.to_v, self.to_q, self.to_k = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.merge = nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.f1, self.f2 = nn.Linear(d, f), nn.Linear(f, d)
        self.p = nn.Dropout(p)

    def attend(self, x, mask):
        outs = []
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        step = self.d // self.h
        for i in range(self.h):
            a, b = i * step, (i + 1) * step
            s = torch.bmm(q[:, :, a:b], k[:, :, a:b].transpose(1, 2)) / math.sqrt(step)
            if mask is not None:
                m = mask if mask.dim() < 4 else mask[:, min(i, mask.size(1) - 1)]
                s = s.masked_fill(~m, -1e12)
            outs.append(torch.bmm(s.softmax(-1), v[:, :, a:b]))
        return self.merge(torch.cat(outs, -1))

    def forward(self, x, mask):
        x = self.n1(x + self.p(self.attend(x, mask)))
        return self.n2(x + self.p(self.f2(self.f1(x).relu())))


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.blks = nn.Sequential()
        for i in range(num_layers):
            self.blks.add_module("block" + str(i), Block(d_model, num_heads, d_ff, dropout))

    def forward(self, x, mask=None):
        for blk in self.blks:
            x = blk(x, mask)
        return x
