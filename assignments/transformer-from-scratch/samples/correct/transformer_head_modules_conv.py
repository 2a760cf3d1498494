# correct  component: transformer
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

class OneHead(nn.Module):
    def __init__(self, d, dk):
        super().__init__()
        self.k, self.q, self.v = nn.Linear(d, dk), nn.Linear(d, dk), nn.Linear(d, dk)
    def forward(self, x, y, m):
        w = torch.bmm(self.q(x), self.k(y).transpose(1, 2)) / math.sqrt(self.k.out_features)
        if m is not None:
            w = w.masked_fill(~m, -1e9)
        return torch.bmm(F.softmax(w, dim=2), self.v(y))

class MultiHead(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.heads = nn.ModuleList([OneHead(d, d // h) for _ in range(h)])
        self.linear = nn.Linear(d, d)
    def forward(self, x, y, m=None):
        # masks come as (n, m), (b, n, m) or (b, 1 or h, n, m)
        per_head = [m] * len(self.heads)
        if m is not None and m.dim() == 4:
            full = m.expand(-1, len(self.heads), -1, -1)
            per_head = [full[:, i] for i in range(len(self.heads))]
        return self.linear(torch.cat([hd(x, y, mm) for hd, mm in zip(self.heads, per_head)], dim=2))

class ConvFF(nn.Module):
    def __init__(self, d, f):
        super().__init__()
        self.c1, self.c2 = nn.Conv1d(d, f, 1), nn.Conv1d(f, d, 1)
    def forward(self, x):
        return self.c2(F.relu(self.c1(x.permute(0, 2, 1)))).permute(0, 2, 1)

class Norm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.alpha, self.bias, self.eps = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d)), eps
    def forward(self, x):
        c = x - x.mean(2, keepdim=True)
        return self.alpha * c / (c.square().mean(2, keepdim=True) + self.eps).sqrt() + self.bias

class EncBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.mha, self.ff, self.n1, self.n2, self.drop = MultiHead(d, h), ConvFF(d, f), Norm(d), Norm(d), nn.Dropout(p)
    def forward(self, x, m):
        x = self.n1(x + self.drop(self.mha(x, x, m)))
        return self.n2(x + self.drop(self.ff(x)))

class DecBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.mha1, self.mha2, self.ff = MultiHead(d, h), MultiHead(d, h), ConvFF(d, f)
        self.n1, self.n2, self.n3, self.drop = Norm(d), Norm(d), Norm(d), nn.Dropout(p)
    def forward(self, x, e, sm, tm):
        x = self.n1(x + self.drop(self.mha1(x, x, tm)))
        x = self.n2(x + self.drop(self.mha2(x, e, sm)))
        return self.n3(x + self.drop(self.ff(x)))

class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        for pos in range(max_len):
            for i in range(0, d_model, 2):
                a = pos / (10000 ** (i / d_model))
                pe[pos, i] = math.sin(a)
                if i + 1 < d_model:
                    pe[pos, i + 1] = math.cos(a)
        self.pe = nn.Parameter(pe, requires_grad=False)
        self.d = d_model
        self.enc_emb, self.dec_emb = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.encs = nn.ModuleList([EncBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.decs = nn.ModuleList([DecBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.fc, self.drop = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout)
    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.drop(self.enc_emb(src) * self.d ** 0.5 + self.pe[:src.size(1)])
        y = self.drop(self.dec_emb(tgt) * self.d ** 0.5 + self.pe[:tgt.size(1)])
        if tgt_mask is None:
            tgt_mask = torch.tril(torch.ones(tgt.size(1), tgt.size(1), device=tgt.device)) == 1
        for l in self.encs: x = l(x, src_mask)
        for l in self.decs: y = l(y, x, src_mask, tgt_mask)
        return self.fc(y)
