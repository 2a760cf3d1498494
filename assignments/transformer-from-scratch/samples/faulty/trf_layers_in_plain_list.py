# misconception: trf-layers-in-plain-list  component: transformer
import math
import torch
from torch import nn


def attend(q, k, v, mask):
    s = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
    return torch.einsum("bhij,bhjd->bhid", s.softmax(-1), v)


class MHA(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.fq, self.fk, self.fv, self.fo = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, m):
        q, k, v = (torch.stack(f(t).chunk(self.h, -1), 1) for f, t in ((self.fq, x), (self.fk, y), (self.fv, y)))
        return self.fo(torch.cat(attend(q, k, v, m).unbind(1), -1))


class EncoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.mha, self.ff = MHA(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.ln1, self.ln2, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, mask):
        x = self.ln1(x + self.p(self.mha(x, x, mask)))
        return self.ln2(x + self.p(self.ff(x)))


class DecoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.mha, self.cross, self.ff = MHA(d, h), MHA(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.ln1, self.ln2, self.ln3, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, mem, sm, tm):
        x = self.ln1(x + self.p(self.mha(x, x, tm)))
        x = self.ln2(x + self.p(self.cross(x, mem, sm)))
        return self.ln3(x + self.p(self.ff(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.emb_s, self.emb_t = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        ang = torch.arange(max_len)[:, None] / torch.pow(10000.0, torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("pe", torch.cat([ang.sin()[..., None], ang.cos()[..., None]], -1).view(max_len, d_model))
        self.enc = nn.ModuleList([EncoderBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec = {i: DecoderBlock(d_model, num_heads, d_ff, dropout) for i in range(num_layers)}   # dict of layers
        self.head, self.p, self.c = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), math.sqrt(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.p(self.emb_s(src) * self.c + self.pe[: src.size(1)])
        for layer in self.enc:
            x = layer(x, src_mask)
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        y = self.p(self.emb_t(tgt) * self.c + self.pe[: tgt.size(1)])
        for i in sorted(self.dec):
            y = self.dec[i](y, x, src_mask, tgt_mask)
        return self.head(y)
