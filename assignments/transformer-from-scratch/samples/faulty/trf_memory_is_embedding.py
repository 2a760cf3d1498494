# faulty  component: transformer
# what: the decoder reads the embedded source instead of the encoder's output
import math, torch, torch.nn as nn

class A(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.h = h
        s.q, s.k, s.v, s.o = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(s, x, y, m):
        q, k, v = [f(t).unflatten(-1, (s.h, -1)).transpose(1, 2) for f, t in ((s.q, x), (s.k, y), (s.v, y))]
        e = q @ k.mT / math.sqrt(q.size(-1))
        if m is not None: e = e.masked_fill(~(m.unsqueeze(1) if m.dim() == 3 else m), float("-inf"))
        return s.o((e.softmax(-1) @ v).transpose(1, 2).flatten(2))

class E(nn.Module):
    def __init__(s, d, h, f, p):
        super().__init__()
        s.a, s.f = A(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        s.n1, s.n2, s.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)
    def forward(s, x, m):
        x = s.n1(x + s.p(s.a(x, x, m)))
        return s.n2(x + s.p(s.f(x)))

class D(nn.Module):
    def __init__(s, d, h, f, p):
        super().__init__()
        s.a, s.cross, s.f = A(d, h), A(d, h), nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))
        s.n1, s.n2, s.n3, s.p = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)
    def forward(s, x, e, sm, tm):
        x = s.n1(x + s.p(s.a(x, x, tm)))
        x = s.n2(x + s.p(s.cross(x, e, sm)))
        return s.n3(x + s.p(s.f(x)))

class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src_e, self.tgt_e, self.d = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model), d_model
        a = torch.arange(max_len)[:, None] * torch.exp(torch.arange(0, d_model, 2) * -math.log(10000.) / d_model)
        self.register_buffer("pe", torch.stack([a.sin(), a.cos()], -1).reshape(max_len, d_model), persistent=False)
        self.enc = nn.ModuleList([E(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec = nn.ModuleList([D(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.out, self.p = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.p(self.src_e(src) * self.d ** .5 + self.pe[:src.size(1)])
        h = x
        for l in self.enc: h = l(h, src_mask)
        if tgt_mask is None: tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        y = self.p(self.tgt_e(tgt) * self.d ** .5 + self.pe[:tgt.size(1)])
        for l in self.dec: y = l(y, x, src_mask, tgt_mask)
        return self.out(y)
