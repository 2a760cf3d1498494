# faulty  component: transformer
# what: returns logits for the last target position only
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.query, self.key, self.value, self.out = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, ctx, mask=None):
        q, k, v = (torch.stack(f(t).chunk(self.h, -1), 1) for f, t in ((self.query, x), (self.key, ctx), (self.value, ctx)))
        w = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            w = w.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.out(torch.cat((w.softmax(-1) @ v).unbind(1), -1))


class Block(nn.Module):
    def __init__(self, d, h, f, p, cross=False):
        super().__init__()
        self.attn, self.cross = Attention(d, h), (Attention(d, h) if cross else None)
        self.mlp = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(3 if cross else 2)])
        self.p = nn.Dropout(p)

    def forward(self, x, mask, mem=None, mem_mask=None):
        x = self.ln[0](x + self.p(self.attn(x, x, mask)))
        if mem is not None:
            x = self.ln[1](x + self.p(self.cross(x, mem, mem_mask)))
        return self.ln[-1](x + self.p(self.mlp(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.wse, self.wte = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        j = torch.arange(0, d_model, 2)
        ang = torch.arange(max_len).view(-1, 1) * 10000.0 ** (-j / d_model)
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = ang.sin()
        pe[:, 1::2] = ang.cos()
        self.register_buffer("wpe", pe)
        self.enc = nn.ModuleList([Block(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec = nn.ModuleList([Block(d_model, num_heads, d_ff, dropout, True) for _ in range(num_layers)])
        self.lm_head, self.p, self.scale = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), d_model ** 0.5

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        m = self.p(self.wse(src) * self.scale + self.wpe[: src.size(1)])
        for b in self.enc:
            m = b(m, src_mask)
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), device=tgt.device).tril().bool()
        y = self.p(self.wte(tgt) * self.scale + self.wpe[: tgt.size(1)])
        for b in self.dec:
            y = b(y, tgt_mask, m, src_mask)
        return self.lm_head(y[:, [-1], :])
