# faulty  component: transformer
# what: the table has one row less than max_len
import math
import torch
from torch import nn
import torch.nn.functional as F

class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.maps = nn.ModuleDict({n: nn.Linear(d, d) for n in ("query", "key", "value", "final")})

    def heads(self, name, t):
        return self.maps[name](t).unflatten(-1, (self.h, -1)).movedim(-2, -3)

    def forward(self, ask, source, mask):
        q, k, v = self.heads("query", ask), self.heads("key", source), self.heads("value", source)
        w = torch.matmul(q, k.mT).div(q.size(-1) ** 0.5)
        if mask is not None:
            w = w.masked_fill(torch.logical_not(mask.unsqueeze(1) if mask.dim() == 3 else mask), torch.finfo(w.dtype).min)
        return self.maps["final"](w.softmax(-1).matmul(v).movedim(-3, -2).flatten(-2))


class Layer(nn.Module):
    def __init__(self, d, h, f, p, crossing):
        super().__init__()
        self.atts = nn.ModuleList(Attention(d, h) for _ in range(1 + crossing))
        self.wide, self.narrow = nn.Linear(d, f), nn.Linear(f, d)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2 + crossing))
        self.p = p

    def forward(self, x, own_mask, memory=None, mem_mask=None):
        def join(i, new):
            return self.norms[i](x + F.dropout(new, self.p, self.training))
        x = join(0, self.atts[0](x, x, own_mask))
        if memory is not None:
            x = join(1, self.atts[1](x, memory, mem_mask))
        return join(-1, self.narrow(F.relu(self.wide(x))))

def sinusoids(longest, d):
        t = torch.arange(longest).float()[:, None] * torch.pow(10000.0, -torch.arange(0, d, 2).float() / d)[None]
        pos = torch.zeros(longest, d)
        pos[:, 0::2], pos[:, 1::2] = t.sin(), t.cos()[:, : d // 2]
        return pos

class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.words = nn.ModuleDict({"src": nn.Embedding(src_vocab, d_model), "tgt": nn.Embedding(tgt_vocab, d_model)})
        self.register_buffer("where", sinusoids(max_len - 1, d_model).unsqueeze(0), persistent=False)
        self.gain = d_model ** 0.5
        make = lambda crossing: [Layer(d_model, num_heads, d_ff, dropout, crossing) for _ in range(num_layers)]
        self.encoder = nn.ModuleList(make(False))
        self.decoder = nn.ModuleList(make(True))
        self.head = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        enter = lambda side, ids: self.gain * self.words[side](ids) + self.where[:, : ids.size(-1)]
        n = tgt.shape[1]
        if tgt_mask is None:
            tgt_mask = torch.arange(n, device=tgt.device)[:, None] >= torch.arange(n, device=tgt.device)
        m = enter("src", src)
        for layer in self.encoder:
            m = layer(m, src_mask)
        y = enter("tgt", tgt)
        for layer in self.decoder:
            y = layer(y, tgt_mask, m, src_mask)
        return self.head(y)
