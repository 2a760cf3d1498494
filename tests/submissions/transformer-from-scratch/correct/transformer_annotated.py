# correct  component: transformer  style: clones, sublayer connections, complex exponentials as table
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


class Layer(nn.Module):
    def __init__(self, size, h, d_ff, dropout, cross):
        super().__init__()
        self.self_attn = MHA(h, size, dropout)
        self.src_attn = MHA(h, size, dropout) if cross else None
        self.w_1, self.w_2 = nn.Linear(size, d_ff), nn.Linear(d_ff, size)
        self.sublayer = clones(SublayerConnection(size, dropout), 3 if cross else 2)

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        if self.src_attn is not None:
            x = self.sublayer[1](x, lambda x: self.src_attn(x, memory, memory, memory_mask))
        return self.sublayer[-1](x, lambda x: self.w_2(self.w_1(x).relu()))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.decoder = clones(Layer(d_model, num_heads, d_ff, dropout, True), num_layers)
        self.encoder = clones(Layer(d_model, num_heads, d_ff, dropout, False), num_layers)
        self.lut = nn.ModuleList([nn.Embedding(src_vocab, d_model, padding_idx=0), nn.Embedding(tgt_vocab, d_model, padding_idx=0)])
        self.d_model, self.dropout = d_model, nn.Dropout(dropout)
        angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        waves = torch.view_as_real(torch.polar(torch.ones_like(angle), angle)).flip(-1).flatten(1)
        self.register_buffer("pe", waves[None], persistent=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def embed(self, side, ids):
        return self.dropout(self.lut[side](ids) * math.sqrt(self.d_model) + self.pe[:, : ids.size(1)])

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if tgt_mask is None:
            tgt_mask = torch.triu(torch.ones((1, tgt.size(-1), tgt.size(-1)), device=tgt.device), diagonal=1) == 0
        memory, x = self.embed(0, src), self.embed(1, tgt)
        for layer in self.encoder:
            memory = layer(memory, src_mask)
        for layer in self.decoder:
            x = layer(x, tgt_mask, memory, src_mask)
        return F.linear(x, self.lut[1].weight)
