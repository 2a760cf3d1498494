# correct  component: decoder
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import reduce


def split_heads(x, h):
    return x.view(x.size(0), x.size(1), h, x.size(2) // h).transpose(1, 2)


class Mixer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.lin = nn.ModuleList([nn.Linear(d, d, bias=False) for _ in range(4)])

    def forward(self, x, y, mask=None):
        q, k, v = (split_heads(l(t), self.h) for l, t in zip(self.lin, (x, y, y)))
        s = torch.baddbmm(torch.zeros(1, 1, 1, dtype=x.dtype, device=x.device), q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2), alpha=q.size(-1) ** -0.5)
        s = s.view(q.size(0), self.h, q.size(2), k.size(2))
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e18)
        return self.lin[3]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict({
            "self": Mixer(d_model, num_heads), "self_ln": nn.LayerNorm(d_model),
            "cross": Mixer(d_model, num_heads), "cross_ln": nn.LayerNorm(d_model),
            "up": nn.Linear(d_model, d_ff), "down": nn.Linear(d_ff, d_model), "ffn_ln": nn.LayerNorm(d_model),
        })
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        p = self.parts
        x = p["self_ln"](x + self.drop(p["self"](x, x, tgt_mask)))
        x = p["cross_ln"](x + self.drop(p["cross"](x, memory, src_mask)))
        return p["ffn_ln"](x + self.drop(p["down"](F.relu(p["up"](x)))))


class Decoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.blocks = nn.ModuleList([])
        for _ in range(num_layers):
            self.blocks.append(DecoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        return reduce(lambda h, layer: layer(h, memory, src_mask, tgt_mask), self.blocks, x)
