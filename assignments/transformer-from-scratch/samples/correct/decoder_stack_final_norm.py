# correct  component: decoder
import math
import torch
from torch import nn, Tensor
from typing import Optional


def sdpa(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor]) -> Tensor:
    w = torch.einsum("...nd,...md->...nm", q, k) / math.sqrt(q.size(-1))
    if mask is not None:
        w = w + (~mask).to(w.dtype) * -1e9
    return torch.einsum("...nm,...md->...nd", w.softmax(dim=-1), v)


class Heads(nn.Module):
    def __init__(self, d: int, h: int):
        super().__init__()
        self.h = h
        self.fused = nn.Linear(d, 3 * d)
        self.final = nn.Linear(d, d)

    def forward(self, a: Tensor, b: Tensor, mask: Optional[Tensor]) -> Tensor:
        d = a.size(-1)
        w, c = self.fused.weight, self.fused.bias
        q = nn.functional.linear(a, w[:d], c[:d])
        k, v = nn.functional.linear(b, w[d:], c[d:]).split(d, dim=-1)
        q, k, v = (t.unflatten(-1, (self.h, d // self.h)).transpose(-3, -2) for t in (q, k, v))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        return self.final(sdpa(q, k, v, mask).transpose(-3, -2).flatten(-2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        self.slf, self.enc = Heads(d_model, num_heads), Heads(d_model, num_heads)
        self.pos = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.ln = nn.ModuleList([nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.ln[0](x + self.dropout(self.slf(x, x, tgt_mask)))
        x = self.ln[1](x + self.dropout(self.enc(x, memory, src_mask)))
        return self.ln[2](x + self.dropout(self.pos(x)))


class Decoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.stack = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(d_model)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        y = x
        for blk in self.stack:
            y = blk(y, memory, src_mask=src_mask, tgt_mask=tgt_mask)
        return self.final_norm(y)
