# misconception: trf-pe-not-a-buffer  component: transformer
import math
import torch
import torch.nn as nn


class PositionalEncoding:
    """plain class, has no parameters so it needs no nn.Module (?)"""

    def __init__(self, max_len, d_model):
        self.table = torch.zeros(max_len, d_model)
        for pos in range(max_len):
            for i in range(d_model):
                a = pos / 10000 ** (2 * (i // 2) / d_model)
                self.table[pos, i] = math.sin(a) if i % 2 == 0 else math.cos(a)

    def __call__(self, x):
        return x + self.table[: x.shape[1]]


class Attention(nn.Module):
    def __init__(self, d_model, n):
        super().__init__()
        self.n = n
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, a, b, mask=None):
        q, k, v = (w(t).unflatten(-1, (self.n, -1)) for w, t in ((self.wq, a), (self.wk, b), (self.wv, b)))
        s = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e10)
        return self.wo(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(2))


class EncoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.att, self.ff = Attention(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.ln1, self.ln2, self.dr = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, mask):
        x = self.ln1(x + self.dr(self.att(x, x, mask)))
        return self.ln2(x + self.dr(self.ff(x)))


class DecoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.att, self.xatt_enc = Attention(d, h), Attention(d, h)
        self.ff = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.ln1, self.ln2, self.ln3, self.dr = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, e, sm, tm):
        x = self.ln1(x + self.dr(self.att(x, x, tm)))
        x = self.ln2(x + self.dr(self.xatt_enc(x, e, sm)))
        return self.ln3(x + self.dr(self.ff(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.e_src, self.e_tgt = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.pos = PositionalEncoding(max_len, d_model)
        self.encoder = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.decoder = nn.ModuleList([DecoderBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.linear, self.dr = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.dr(self.pos(self.e_src(src) * math.sqrt(self.d_model)))
        y = self.dr(self.pos(self.e_tgt(tgt) * math.sqrt(self.d_model)))
        if tgt_mask is None:
            n = tgt.shape[1]
            tgt_mask = torch.ones(n, n, dtype=torch.bool, device=tgt.device).tril()
        for b in self.encoder:
            x = b(x, src_mask)
        for b in self.decoder:
            y = b(y, x, src_mask, tgt_mask)
        return self.linear(y).to(self.e_src.weight.dtype)
