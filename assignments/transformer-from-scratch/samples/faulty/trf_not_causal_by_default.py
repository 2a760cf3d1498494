# faulty  component: transformer
# what: without tgt_mask the decoder sees the future
import math
import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class EncLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attn, self.ff = Attn(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.n1, self.n2, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, m):
        x = self.n1(x + self.p(self.attn(x, x, m)))
        return self.n2(x + self.p(self.ff(x)))


class DecLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attn, self.cross = Attn(d, h), Attn(d, h)
        self.ff = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.n1, self.n2, self.n3, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, e, sm, tm):
        x = self.n1(x + self.p(self.attn(x, x, tm)))
        x = self.n2(x + self.p(self.cross(x, e, sm)))
        return self.n3(x + self.p(self.ff(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d = d_model
        self.src_emb, self.tgt_emb = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        pos = torch.arange(max_len).unsqueeze(1) / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("pe", torch.stack((pos.sin(), pos.cos()), 2).flatten(1))
        self.encoder = nn.ModuleList(EncLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.out, self.p = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.p(self.src_emb(src) * math.sqrt(self.d) + self.pe[: src.size(1)])
        for l in self.encoder:
            x = l(x, src_mask)
        y = self.p(self.tgt_emb(tgt) * math.sqrt(self.d) + self.pe[: tgt.size(1)])
        for l in self.decoder:
            y = l(y, x, src_mask, tgt_mask)
        return self.out(y)
