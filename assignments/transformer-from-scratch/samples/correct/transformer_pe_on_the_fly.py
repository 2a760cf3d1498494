# correct  component: transformer
# no table at all: sines are computed for the length that is needed
import math
import torch
import torch.nn as nn


def add_positions(x):
    n, d = x.size(1), x.size(2)
    pos = torch.arange(n, device=x.device, dtype=x.dtype)
    inv = torch.exp(torch.arange(0, d, 2, device=x.device, dtype=x.dtype) * (-math.log(10000.0) / d))
    ang = pos[:, None] * inv[None, :]
    pe = torch.stack([torch.sin(ang), torch.cos(ang)], dim=2).reshape(n, -1)[:, :d]
    return x + pe


class Attn(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, x, ctx, mask):
        hs = lambda t: t.unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3)
        q, k, v = hs(self.q_proj(x)), hs(self.k_proj(ctx)), hs(self.v_proj(ctx))
        w = q.matmul(k.transpose(2, 3)) * q.shape[-1] ** -0.5
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            w = w + (1.0 - mask.to(w.dtype)) * -1e9
        return self.o_proj(w.softmax(3).matmul(v).permute(0, 2, 1, 3).flatten(2))


class Residual(nn.Module):
    def __init__(self, d_model, p):
        super().__init__()
        self.ln = nn.LayerNorm(d_model, eps=1e-5)
        self.p = nn.Dropout(p)

    def forward(self, x, fx):
        return self.ln(x + self.p(fx))


class EncBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.sa, self.r1 = Attn(d, h), Residual(d, p)
        self.ff, self.r2 = nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d)), Residual(d, p)

    def forward(self, x, mask):
        x = self.r1(x, self.sa(x, x, mask))
        return self.r2(x, self.ff(x))


class DecBlock(EncBlock):
    def __init__(self, d, h, f, p):
        super().__init__(d, h, f, p)
        self.ca, self.r3 = Attn(d, h), Residual(d, p)

    def forward(self, x, mem, mem_mask, mask):
        x = self.r1(x, self.sa(x, x, mask))
        x = self.r3(x, self.ca(x, mem, mem_mask))
        return self.r2(x, self.ff(x))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.embed_source = nn.Embedding(src_vocab, d_model)
        self.embed_target = nn.Embedding(tgt_vocab, d_model)
        self.encoder = nn.ModuleList([EncBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.decoder = nn.ModuleList([DecBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.logits = nn.Linear(d_model, tgt_vocab, bias=False)
        self.p = nn.Dropout(dropout)
        self.root = math.sqrt(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        assert src.size(1) <= self.max_len and tgt.size(1) <= self.max_len
        memory = self.p(add_positions(self.embed_source(src) * self.root))
        for b in self.encoder:
            memory = b(memory, src_mask)
        if tgt_mask is None:
            n = tgt.size(1)
            tgt_mask = ~torch.triu(torch.ones((n, n), dtype=torch.bool, device=tgt.device), diagonal=1)
        out = self.p(add_positions(self.embed_target(tgt) * self.root))
        for b in self.decoder:
            out = b(out, memory, src_mask, tgt_mask)
        return self.logits(out)
