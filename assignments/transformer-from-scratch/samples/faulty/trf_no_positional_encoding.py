# misconception: trf-no-positional-encoding  component: transformer
import torch, torch.nn as nn, torch.nn.functional as F

class Att(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.kqvo = h, nn.ModuleList(nn.Linear(d, d) for _ in range(4))
    def forward(self, x, y, mask=None):
        q, k, v = (l(t).reshape(t.shape[0], t.shape[1], self.h, -1).transpose(1, 2) for l, t in zip(self.kqvo, (x, y, y)))
        s = q @ k.transpose(2, 3) * q.shape[-1] ** -.5
        if mask is not None: s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.kqvo[3]((s.softmax(3) @ v).transpose(1, 2).flatten(2))

class EncLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.att, self.f1, self.f2 = Att(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.n1, self.n2, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)
    def forward(self, x, m):
        x = self.n1(x + self.p(self.att(x, x, m)))
        return self.n2(x + self.p(self.f2(F.relu(self.f1(x)))))

class DecLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.att, self.cross, self.f1, self.f2 = Att(d, h), Att(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.n1, self.n2, self.n3, self.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)
    def forward(self, x, e, sm, tm):
        x = self.n1(x + self.p(self.att(x, x, tm)))
        x = self.n2(x + self.p(self.cross(x, e, sm)))
        return self.n3(x + self.p(self.f2(F.relu(self.f1(x)))))

class PE(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        a = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        self.register_buffer("pe", torch.stack([a.sin(), a.cos()], -1).flatten(1))
    def forward(self, x):
        x + self.pe[:x.size(1)]
        return x

class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.s, self.t, self.pe = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model), PE(max_len, d_model)
        self.enc = nn.ModuleList([EncLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec = nn.ModuleList([DecLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.w, self.p, self.c = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), d_model ** .5
    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x, y = self.p(self.pe(self.s(src) * self.c)), self.p(self.pe(self.t(tgt) * self.c))
        if tgt_mask is None: tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        for l in self.enc: x = l(x, src_mask)
        for l in self.dec: y = l(y, x, src_mask, tgt_mask)
        return self.w(y)
