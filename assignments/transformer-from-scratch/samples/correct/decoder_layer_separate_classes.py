# correct  component: decoder_layer
import math
import torch
import torch.nn as nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = (t.reshape(B, T, self.num_heads, C // self.num_heads).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.view(B, 1, *mask.shape[1:])
            att = att.masked_fill(~mask, float("-inf"))
        y = att.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(B, T, C))


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.kv = nn.Linear(d_model, 2 * d_model)
        self.q = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        B, T, C = x.size()
        S = memory.size(1)
        dh = C // self.num_heads
        k, v = self.kv(memory).reshape(B, S, 2, self.num_heads, dh).unbind(2)
        q = self.q(x).reshape(B, T, self.num_heads, dh)
        att = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(dh)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            att = att.masked_fill(~mask, float("-inf"))
        return self.out(torch.einsum("bhts,bshd->bthd", att.softmax(-1), v).reshape(B, T, C))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.csa = MaskedSelfAttention(d_model, num_heads)
        self.ca = CrossAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
        self.lns = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(3)])
        self.resid_drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        subs = [
            lambda t: self.csa(t, tgt_mask),
            lambda t: self.ca(t, memory, src_mask),
            self.mlp,
        ]
        for ln, f in zip(self.lns, subs):
            x = ln(x + self.resid_drop(f(x)))
        return x
