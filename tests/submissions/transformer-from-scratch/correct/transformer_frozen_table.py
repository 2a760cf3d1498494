# correct  component: transformer  style: a frozen embedding as table, functional core
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


def table(max_len, d_model):
    pe = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / 10000 ** (i / d_model))
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(pos / 10000 ** (i / d_model))
    return pe


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.positions = nn.Embedding.from_pretrained(table(max_len, d_model), freeze=True)
        self.src_embed, self.tgt_embed = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.encoder = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.project = nn.Linear(d_model, tgt_vocab)

    def embed(self, layer, ids):
        return layer(ids) * self.d_model**0.5 + self.positions(torch.arange(ids.size(-1), device=ids.device))

    def encode(self, src, src_mask):
        x = self.embed(self.src_embed, src)
        for layer in self.encoder:
            x = layer(x, src_mask)
        return x

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        causal = torch.ones(tgt.size(1), tgt.size(1), device=tgt.device, dtype=torch.bool).tril()
        tgt_mask = causal if tgt_mask is None else causal & tgt_mask
        memory, y = self.encode(src, src_mask), self.embed(self.tgt_embed, tgt)
        for layer in self.decoder:
            y = layer(y, memory, src_mask, tgt_mask)
        return self.project(y)
