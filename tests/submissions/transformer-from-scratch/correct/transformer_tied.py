# correct  component: transformer  style: tied output, embedding class with a buffer, final norms
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


class Embed(nn.Module):
    def __init__(self, vocab, d_model, max_len, dropout):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model)
        self.drop = nn.Dropout(dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div)
        pe[:, 1::2] = torch.cos(position * div)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, ids):
        x = self.table(ids) * math.sqrt(self.table.embedding_dim)
        return self.drop(x + self.pe[:, : x.size(1)].requires_grad_(False))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.generator = nn.Linear(d_model, tgt_vocab, bias=False)
        self.tgt = Embed(tgt_vocab, d_model, max_len, dropout)
        self.src = Embed(src_vocab, d_model, max_len, dropout)
        self.generator.weight = self.tgt.table.weight
        self.dec = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.enc = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.enc_norm, self.dec_norm = Norm(d_model), nn.LayerNorm(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if tgt_mask is None:
            tgt_mask = torch.tril(torch.ones((tgt.size(1), tgt.size(1)), device=tgt.device)).bool()
        memory = self.src(src)
        for layer in self.enc:
            memory = layer(memory, src_mask)
        memory, x = self.enc_norm(memory), self.tgt(tgt)
        for layer in self.dec:
            x = layer(x, memory, src_mask, tgt_mask)
        return self.generator(self.dec_norm(x))
