# faulty  component: decoder_layer
# what: the residual around cross-attention adds the layer's input instead of the first sublayer's result
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.f = nn.ModuleDict({n: nn.Linear(d, d) for n in "qkvo"})

    def forward(self, x, y, mask=None):
        q, k, v = (torch.stack(self.f[n](t).chunk(self.h, -1), 1) for n, t in (("q", x), ("k", y), ("v", y)))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.f["o"](torch.cat((s.softmax(-1) @ v).unbind(1), -1))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.slf, self.crs_cross = Heads(d_model, num_heads), Heads(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        y = self.norms[0](x + self.drop(self.slf(x, x, tgt_mask)))
        z = self.norms[1](x + self.drop(self.crs_cross(y, memory, src_mask)))
        return self.norms[2](z + self.drop(self.ffn(z)))
