# misconception: trf-pe-is-trained  component: transformer
import torch
from torch import nn


def table(n, d):
    col = torch.arange(d)
    angle = torch.arange(n)[:, None] / 10000 ** ((col // 2 * 2) / d)
    return torch.where(col % 2 == 0, angle.sin(), angle.cos())


class PosEmbedding(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        # no freeze=True
        self.weight = nn.Embedding.from_pretrained(table(n, d), freeze=False)

    def forward(self, ids):
        return self.weight(torch.arange(ids.size(1), device=ids.device))


class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.query, self.key, self.value, self.out = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x, ctx, mask=None):
        q, k, v = (torch.stack(f(t).chunk(self.h, -1), 1) for f, t in ((self.query, x), (self.key, ctx), (self.value, ctx)))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.out(torch.cat((s.softmax(-1) @ v).unbind(1), -1))


class Layer(nn.Module):
    def __init__(self, d, h, f, p, decoder):
        super().__init__()
        self.self_attn = MultiHead(d, h)
        self.cross_attn = MultiHead(d, h) if decoder else None
        self.ff = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.norm = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if decoder else 2))
        self.drop = nn.Dropout(p)

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.norm[0](x + self.drop(self.self_attn(x, x, mask)))
        if self.cross_attn is not None:
            x = self.norm[1](x + self.drop(self.cross_attn(x, memory, memory_mask)))
        return self.norm[-1](x + self.drop(self.ff(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src = nn.Embedding(src_vocab, d_model)
        self.tgt = nn.Embedding(tgt_vocab, d_model)
        self.position = PosEmbedding(max_len, d_model)
        a = (d_model, num_heads, d_ff, dropout)
        self.enc = nn.ModuleList(Layer(*a, False) for _ in range(num_layers))
        self.dec = nn.ModuleList(Layer(*a, True) for _ in range(num_layers))
        self.lm_head = nn.Linear(d_model, tgt_vocab)
        self.drop, self.scale = nn.Dropout(dropout), d_model ** 0.5

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        m = self.drop(self.src(src) * self.scale + self.position(src))
        for l in self.enc:
            m = l(m, src_mask)
        if tgt_mask is None:
            tgt_mask = torch.tril(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device))
        y = self.drop(self.tgt(tgt) * self.scale + self.position(tgt))
        for l in self.dec:
            y = l(y, tgt_mask, m, src_mask)
        return self.lm_head(y)
