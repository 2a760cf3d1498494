# misconception: dec-cross-uses-tgt-mask  component: decoder_layer
import torch
import torch.nn as nn
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.num_heads = num_heads
        self.keys, self.queries, self.values, self.out = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        b = query.shape[0]
        q = self.queries(query).reshape(b, query.shape[1], self.num_heads, -1)
        k = self.keys(key).reshape(b, key.shape[1], self.num_heads, -1)
        v = self.values(value).reshape(b, key.shape[1], self.num_heads, -1)
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill((mask.unsqueeze(1) if mask.dim() == 3 else mask) == False, float("-inf"))
        return self.out(torch.einsum("bhnm,bmhd->bnhd", s.softmax(-1), v).flatten(2))


class Sublayer(nn.Module):
    def __init__(self, d_model, dropout):
        super().__init__()
        self.ln, self.do = nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, fx):
        return self.ln(x + self.do(fx))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.masked = MultiHeadAttention(d_model, num_heads)
        self.cross = MultiHeadAttention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.subs = nn.ModuleList(Sublayer(d_model, dropout) for _ in range(3))

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.subs[0](x, self.masked(x, x, x, tgt_mask))
        x = self.subs[1](x, self.cross(x, memory, memory, tgt_mask))
        return self.subs[2](x, self.ffn(x))
