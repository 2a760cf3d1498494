# correct  component: transformer  style: positions computed in forward, raw generator, target embedded first
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.kv, self.o = nn.Linear(d_model, d_model), nn.Linear(d_model, 2 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x, source, mask):
        q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k, v = self.kv(source).unflatten(-1, (2, self.h, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Norm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.a_2, self.b_2, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.a_2 * (x - mean) / torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + self.eps) + self.b_2


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm, self.drop = Norm(d_model), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.drop(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
        self.wrap = nn.ModuleList([AddNorm(d_model, dropout), AddNorm(d_model, dropout)])
        self.attention = Attention(d_model, num_heads)

    def forward(self, x, mask=None):
        x = self.wrap[0](x, lambda t: self.attention(t, t, mask))
        return self.wrap[1](x, self.ff)

class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.conv = nn.ModuleList([nn.Conv1d(d_model, d_ff, 1), nn.Conv1d(d_ff, d_model, 1)])
        self.cross = Attention(d_model, num_heads)
        self.own = Attention(d_model, num_heads)
        self.wrap = nn.ModuleList(AddNorm(d_model, dropout) for _ in range(3))

    def feed(self, x):
        return self.conv[1](self.conv[0](x.transpose(1, 2)).relu()).transpose(1, 2)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.wrap[0](x, lambda t: self.own(t, t, tgt_mask))
        x = self.wrap[1](x, lambda t: self.cross(t, memory, src_mask))
        return self.wrap[2](x, self.feed)


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict({
            "src": nn.Embedding(src_vocab, d_model), "tgt": nn.Embedding(tgt_vocab, d_model),
            "enc": nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)),
            "dec": nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)),
        })
        self.head = nn.Parameter(torch.randn(d_model, tgt_vocab) * d_model**-0.5)
        self.head_bias = nn.Parameter(torch.zeros(tgt_vocab))

    def waves(self, x):
        n, d = x.shape[1:]
        angle = torch.arange(n, device=x.device, dtype=x.dtype)[:, None] / 10000 ** (torch.arange(0, d, 2, device=x.device, dtype=x.dtype) / d)
        return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)

    def embed(self, side, ids):
        x = self.parts[side](ids) * self.parts[side].weight.shape[1] ** 0.5
        return x + self.waves(x)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        y, x = self.embed("tgt", tgt), self.embed("src", src)
        if tgt_mask is None:
            i = torch.arange(tgt.shape[1], device=tgt.device)
            tgt_mask = i[:, None] >= i[None]
        for layer in self.parts["enc"]:
            x = layer(x, src_mask)
        for layer in self.parts["dec"]:
            y = layer(y, x, src_mask, tgt_mask)
        return y @ self.head + self.head_bias
