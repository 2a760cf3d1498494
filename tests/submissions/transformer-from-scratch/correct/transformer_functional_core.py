# correct  component: transformer  style: a frozen parameter as table, layers as pairs in a list, logits in a tuple
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MHA(nn.Module):
    def __init__(self, h, d, dropout=0.1):
        super().__init__()
        self.d_k, self.h = d // h, h
        self.linears = nn.ModuleList([nn.Linear(d, d) for _ in range(4)])
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2) for lin, x in zip(self.linears, (query, key, value))]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        x = torch.matmul(self.dropout(scores.softmax(dim=-1)), value)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(size), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


def clones(module, n):
    import copy
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class Stack(nn.Module):
    def __init__(self, n, d, h, f, p, sources):
        super().__init__()
        self.attn = nn.ModuleList(nn.ModuleList(MHA(h, d, p) for _ in range(sources)) for _ in range(n))
        self.ff = nn.ModuleList(nn.Sequential(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d)) for _ in range(n))
        self.ln = nn.ModuleList(nn.ModuleList(nn.LayerNorm(d) for _ in range(sources + 1)) for _ in range(n))

    def forward(self, x, masks, memory=None):
        for attn, ff, ln in zip(self.attn, self.ff, self.ln):
            for i, (a, m) in enumerate(zip(attn, masks)):
                y = x if i == 0 else memory
                x = ln[i](x + a(x, y, y, m))
            x = ln[-1](x + ff(x))
        return x


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.embed_src, self.embed_tgt = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.enc = Stack(num_layers, d_model, num_heads, d_ff, dropout, 1)
        self.dec = Stack(num_layers, d_model, num_heads, d_ff, dropout, 2)
        self.fc_out = nn.Linear(d_model, tgt_vocab)
        pos, i = torch.arange(max_len).float().unsqueeze(1), torch.arange(d_model)
        rates = pos * torch.pow(10000.0, -(2 * (i // 2)).float() / d_model)
        self.pos_table = nn.Parameter(torch.where(i % 2 == 0, rates.sin(), rates.cos()), requires_grad=False)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        embed = lambda e, ids: e(ids) * e.embedding_dim**0.5 + self.pos_table[: ids.shape[1]]
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.shape[1], tgt.shape[1], device=tgt.device).tril().bool()
        memory = self.enc(embed(self.embed_src, src), [src_mask])
        hidden = self.dec(embed(self.embed_tgt, tgt), [tgt_mask, src_mask], memory)
        return self.fc_out(hidden), memory
