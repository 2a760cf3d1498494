# correct  component: decoder_layer  style: Conv1D with (in, out) weights, dict of sublayers
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.weight, self.bias, self.nf = nn.Parameter(torch.randn(nx, nf) * 0.02), nn.Parameter(torch.zeros(nf)), nf

    def forward(self, x):
        return torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight).view(*x.shape[:-1], self.nf)


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q_attn, self.c_attn, self.c_proj = Conv1D(d, d), Conv1D(2 * d, d), Conv1D(d, d)

    def forward(self, x, y, mask):
        split = lambda t: t.view(*t.shape[:-1], self.h, -1).permute(0, 2, 1, 3)
        query = split(self.q_attn(x))
        key, value = (split(t) for t in self.c_attn(y).split(x.shape[-1], dim=2))
        w = query @ key.transpose(-1, -2) / value.size(-1) ** 0.5
        if mask is not None:
            w = torch.where(mask, w, torch.full([], torch.finfo(w.dtype).min, dtype=w.dtype, device=w.device))
        return self.c_proj((w.softmax(-1) @ value).permute(0, 2, 1, 3).reshape(x.shape))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict(dict(cross=Attention(d_model, num_heads), own=Attention(d_model, num_heads), up=Conv1D(d_ff, d_model), down=Conv1D(d_model, d_ff)))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        p, n = self.parts, self.norms
        x = n[0](x + self.drop(p["own"](x, x, tgt_mask)))
        x = n[1](x + self.drop(p["cross"](x, memory, src_mask)))
        return n[2](x + self.drop(p["down"](torch.relu(p["up"](x)))))
