# faulty  component: transformer
# what: the factor sqrt(d_model) is on the source embedding only
import torch
from torch import nn
import torch.nn.functional as F


class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.wk, self.wq, self.wv, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x, y, mask):
        b, n, d = x.shape
        q, k, v = (t.reshape(b, -1, self.h, d // self.h).transpose(1, 2) for t in (self.wq(x), self.wk(y), self.wv(y)))
        s = q @ k.mT / (d // self.h) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), -1e9)
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class Layer(nn.Module):
    def __init__(self, d, h, f, p, cross):
        super().__init__()
        self.slf = MultiHead(d, h)
        self.cross = MultiHead(d, h) if cross else None
        self.fc1, self.fc2 = nn.Linear(d, f), nn.Linear(f, d)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2 + cross))
        self.p = p

    def add(self, i, x, y):
        return self.norms[i](x + F.dropout(y, self.p, self.training))

    def forward(self, x, mask, mem=None, mem_mask=None):
        x = self.add(0, x, self.slf(x, x, mask))
        if self.cross is not None:
            x = self.add(1, x, self.cross(x, mem, mem_mask))
        return self.add(-1, x, self.fc2(F.relu(self.fc1(x))))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        i = torch.arange(d_model)
        ang = torch.arange(max_len)[:, None] / 10000 ** ((i - i % 2) / d_model)
        self.register_buffer("pe", torch.where(i % 2 == 0, ang.sin(), ang.cos()))
        self.enc = nn.ModuleList(Layer(d_model, num_heads, d_ff, dropout, 0) for _ in range(num_layers))
        self.dec = nn.ModuleList(Layer(d_model, num_heads, d_ff, dropout, 1) for _ in range(num_layers))
        self.head = nn.Linear(d_model, tgt_vocab)
        self.p = dropout

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        drop = lambda t: F.dropout(t, self.p, self.training)
        root = self.src_emb.embedding_dim ** 0.5
        x = drop(self.src_emb(src) * root + self.pe[: src.shape[1]])
        y = drop(self.tgt_emb(tgt) + self.pe[: tgt.shape[1]])
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool, device=tgt.device).tril()
        for l in self.enc:
            x = l(x, src_mask)
        for l in self.dec:
            y = l(y, tgt_mask, x, src_mask)
        return self.head(y)
