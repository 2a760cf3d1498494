import math
import torch
from torch import nn

class Attn(nn.Module):

    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1000000000.0)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

class Layer(nn.Module):

    def __init__(self, d, h, f, p, cross):
        super().__init__()
        self.a, self.c = (Attn(d, h), Attn(d, h) if cross else None)
        self.f1, self.f2, self.dr = (nn.Linear(d, f), nn.Linear(f, d), nn.Dropout(p))
        self.n1, self.n2, self.n3 = (nn.LayerNorm(d), nn.LayerNorm(d) if cross else None, nn.LayerNorm(d))

    def forward(self, x, mask, mem=None, mm=None):
        x = self.n1(x + self.dr(self.a(x, x, mask)))
        if self.c is not None:
            x = self.n2(x + self.dr(self.c(x, mem, mm)))
        return self.n3(x + self.dr(self.f2(self.f1(x).relu())))

class Transformer(nn.Module):

    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        d = self.d = d_model
        self.se, self.te = (nn.Embedding(src_vocab, d), nn.Embedding(tgt_vocab, d))
        self.enc = nn.ModuleList([Layer(d, num_heads, d_ff, dropout, False) for _ in range(num_layers)])
        self.dec = nn.ModuleList([Layer(d, num_heads, d_ff, dropout, True) for _ in range(num_layers)])
        self.out, self.dr = (nn.Linear(d, tgt_vocab), nn.Dropout(dropout))
        t = torch.zeros(max_len + 2, d)
        pos, i = (torch.arange(max_len + 2).unsqueeze(1), torch.arange(0, d, 2))
        t[:, 0::2], t[:, 1::2] = (torch.sin(pos / 10000 ** (i / d)), torch.cos(pos / 10000 ** (i / d)))
        self.pos = nn.Embedding.from_pretrained(t, freeze=True)

    def emb(self, e, ids):
        x = e(ids) * self.d ** 0.5
        x = x + self.pos(torch.arange(ids.size(1), device=ids.device))
        return self.dr(x)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), device=tgt.device).tril().bool()
        m, y = (self.emb(self.se, src), self.emb(self.te, tgt))
        for l in self.enc:
            m = l(m, src_mask)
        for l in self.dec:
            y = l(y, tgt_mask, m, src_mask)
        return self.out(y)
