# misconception: trf-pe-single-row  component: transformer
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        pe = torch.zeros(max_len + 1, d_model)
        pos = torch.arange(max_len + 1).float().unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos * div), torch.cos(pos * div)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, x.size(1)]


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Enc(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.a, self.l1, self.l2 = Attn(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.n1, self.n2, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, m):
        x = self.n1(x + self.p(self.a(x, x, m)))
        return self.n2(x + self.p(self.l2(F.relu(self.l1(x)))))


class Dec(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.a, self.cross, self.l1, self.l2 = Attn(d, h), Attn(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.n1, self.n2, self.n3, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, e, sm, tm):
        x = self.n1(x + self.p(self.a(x, x, tm)))
        x = self.n2(x + self.p(self.cross(x, e, sm)))
        return self.n3(x + self.p(self.l2(F.relu(self.l1(x)))))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.pe = PositionalEncoding(d_model, max_len)
        self.encoder = nn.ModuleList(Enc(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.decoder = nn.ModuleList(Dec(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.out, self.p, self.r = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), math.sqrt(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.p(self.pe(self.src_emb(src) * self.r))
        y = self.p(self.pe(self.tgt_emb(tgt) * self.r))
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), device=tgt.device).tril().bool()
        for l in self.encoder:
            x = l(x, src_mask)
        for l in self.decoder:
            y = l(y, x, src_mask, tgt_mask)
        return self.out(y)
