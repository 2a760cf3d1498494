# misconception: trf-returns-probabilities  component: transformer
import math
import torch
import torch.nn as nn


class SubLayer(nn.Module):
    def __init__(self, d, p):
        super().__init__()
        self.ln, self.p = nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, y):
        return self.ln(x + self.p(y))


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.que, self.key, self.val, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask):
        q, k, v = (f(t).unflatten(2, (self.h, -1)).transpose(1, 2) for f, t in ((self.que, x), (self.key, y), (self.val, y)))
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(3))
        if mask is not None:
            s = s.masked_fill(~(mask if mask.dim() != 3 else mask.unsqueeze(1)), float("-inf"))
        return self.out((torch.softmax(s, 3) @ v).transpose(1, 2).flatten(2))


class Enc(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.at, self.s1 = Attn(d, h), SubLayer(d, p)
        self.ff, self.s2 = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d)), SubLayer(d, p)

    def forward(self, x, m):
        x = self.s1(x, self.at(x, x, m))
        return self.s2(x, self.ff(x))


class Dec(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.at, self.s1 = Attn(d, h), SubLayer(d, p)
        self.cross, self.s2 = Attn(d, h), SubLayer(d, p)
        self.ff, self.s3 = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d)), SubLayer(d, p)

    def forward(self, x, mem, sm, tm):
        x = self.s1(x, self.at(x, x, tm))
        x = self.s2(x, self.cross(x, mem, sm))
        return self.s3(x, self.ff(x))


class Generator(nn.Module):
    "linear + softmax, figure 1"

    def __init__(self, d_model, vocab):
        super().__init__()
        self.proj = nn.Linear(d_model, vocab)

    def forward(self, x):
        return torch.log_softmax(self.proj(x), dim=-1).exp()


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.src_emb, self.tgt_emb = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        c = torch.arange(d_model)
        t = torch.arange(max_len)[:, None] * 10000.0 ** (-(c - c % 2) / d_model)
        self.register_buffer("pe", torch.where(c % 2 == 0, t.sin(), t.cos()))
        self.encoder = nn.ModuleList(Enc(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.decoder = nn.ModuleList(Dec(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.generator, self.drop = Generator(d_model, tgt_vocab), nn.Dropout(dropout)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.drop(self.src_emb(src) * math.sqrt(self.d_model) + self.pe[: src.size(1)])
        y = self.drop(self.tgt_emb(tgt) * math.sqrt(self.d_model) + self.pe[: tgt.size(1)])
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        for e in self.encoder:
            x = e(x, src_mask)
        for d in self.decoder:
            y = d(y, x, src_mask, tgt_mask)
        return self.generator(y)
