# correct  component: transformer
import torch
from torch import nn
from torch.nn import functional as F


def sinusoids(length, channels):
    t = torch.arange(length, dtype=torch.float64)[:, None]
    c = torch.arange(channels, dtype=torch.float64)[None, :]
    ang = t * torch.pow(10000.0, -2 * torch.div(c, 2, rounding_mode="floor") / channels)
    return torch.where(c.long() % 2 == 0, ang.sin(), ang.cos())


class FusedSelf(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.c_attn = nn.Linear(d, 3 * d)
        self.c_proj = nn.Linear(d, d)

    def forward(self, x, mask=None, memory=None):
        B, N, D = x.shape
        y = x if memory is None else memory
        W, b = self.c_attn.weight, self.c_attn.bias
        q = F.linear(x, W[:D], b[:D])
        k, v = F.linear(y, W[D:], b[D:]).chunk(2, dim=-1)
        split = lambda z: z.reshape(B, -1, self.h, D // self.h).transpose(1, 2)
        q, k, v = split(q), split(k), split(v)
        logits = torch.einsum("bhid,bhjd->bhij", q, k) / (D // self.h) ** 0.5
        if mask is not None:
            logits = logits.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), torch.finfo(logits.dtype).min)
        o = torch.einsum("bhij,bhjd->bihd", F.softmax(logits, -1), v)
        return self.c_proj(o.reshape(B, N, D))


class Block(nn.Module):
    """Both kinds of layer: cross is None in the encoder"""

    def __init__(self, d, h, f, drop, cross=False):
        super().__init__()
        self.attn, self.ln1 = FusedSelf(d, h), nn.LayerNorm(d)
        self.cross = FusedSelf(d, h) if cross else None
        self.ln2 = nn.LayerNorm(d) if cross else None
        self.mlp = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Dropout(drop), nn.Linear(f, d))
        self.ln3 = nn.LayerNorm(d)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.ln1(x + self.drop(self.attn(x, mask)))
        if self.cross is not None:
            x = self.ln2(x + self.drop(self.cross(x, memory_mask, memory)))
        return self.ln3(x + self.drop(self.mlp(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.emb = nn.ModuleDict({"src": nn.Embedding(src_vocab, d_model), "tgt": nn.Embedding(tgt_vocab, d_model)})
        self.register_buffer("table", sinusoids(max_len, d_model), persistent=False)
        make = lambda cross: nn.ModuleList([Block(d_model, num_heads, d_ff, dropout, cross) for _ in range(num_layers)])
        self.encoder, self.decoder = make(False), make(True)
        self.head = nn.Linear(d_model, tgt_vocab)
        self.drop = nn.Dropout(dropout)
        self.scale = d_model ** 0.5

    def _in(self, which, ids):
        e = self.emb[which](ids) * self.scale
        return self.drop(e + self.table[: ids.shape[1]].to(e.dtype))

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if tgt_mask is None:
            i = torch.arange(tgt.shape[1], device=tgt.device)
            tgt_mask = i[None, :] <= i[:, None]
        m = self._in("src", src)
        for blk in self.encoder:
            m = blk(m, src_mask)
        y = self._in("tgt", tgt)
        for blk in self.decoder:
            y = blk(y, tgt_mask, m, src_mask)
        return self.head(y)
