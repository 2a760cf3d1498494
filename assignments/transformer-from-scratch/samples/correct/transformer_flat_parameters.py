# correct  component: transformer
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def glorot(*shape):
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(*shape)))


def attend(x, y, wq, wk, wv, wo, h, mask):
    q, k, v = ((t @ w).unflatten(-1, (h, -1)).transpose(-2, -3) for t, w in ((x, wq), (y, wk), (y, wv)))
    s = (q @ k.mT) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -math.inf)
    return (s.softmax(-1) @ v).transpose(-2, -3).flatten(-2) @ wo


class Weights(nn.Module):
    """bag of matrices of one layer"""

    def __init__(self, d, f, cross):
        super().__init__()
        for n in ("self_q", "self_k", "self_v", "self_o"):
            setattr(self, n, glorot(d, d))
        if cross:
            for n in ("cross_q", "cross_k", "cross_v", "cross_o"):
                setattr(self, n, glorot(d, d))
        self.up, self.down = glorot(d, f), glorot(f, d)
        self.ln = nn.ModuleList([nn.LayerNorm(d) for _ in range(3 if cross else 2)])


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.h, self.p, self.d = num_heads, dropout, d_model
        self.src_table, self.tgt_table = glorot(src_vocab, d_model), glorot(tgt_vocab, d_model)
        self.enc = nn.ModuleList([Weights(d_model, d_ff, False) for _ in range(num_layers)])
        self.dec = nn.ModuleList([Weights(d_model, d_ff, True) for _ in range(num_layers)])
        self.out_bias = nn.Parameter(torch.zeros(tgt_vocab))
        col = torch.arange(d_model)
        ang = torch.arange(max_len).unsqueeze(1) / 10000.0 ** ((col - col % 2) / d_model)
        self.register_buffer("pe", torch.where(col % 2 == 0, ang.sin(), ang.cos()))

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def inp(self, ids, table):
        return self.drop(F.embedding(ids, table) * self.d ** 0.5 + self.pe[:ids.shape[-1]])

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.inp(src, self.src_table)
        for w in self.enc:
            x = w.ln[0](x + self.drop(attend(x, x, w.self_q, w.self_k, w.self_v, w.self_o, self.h, src_mask)))
            x = w.ln[1](x + self.drop(F.relu(x @ w.up) @ w.down))
        y = self.inp(tgt, self.tgt_table)
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool, device=tgt.device).tril()
        for w in self.dec:
            y = w.ln[0](y + self.drop(attend(y, y, w.self_q, w.self_k, w.self_v, w.self_o, self.h, tgt_mask)))
            y = w.ln[1](y + self.drop(attend(y, x, w.cross_q, w.cross_k, w.cross_v, w.cross_o, self.h, src_mask)))
            y = w.ln[2](y + self.drop(F.relu(y @ w.up) @ w.down))
        # tied output with a bias
        return y @ self.tgt_table.T + self.out_bias
