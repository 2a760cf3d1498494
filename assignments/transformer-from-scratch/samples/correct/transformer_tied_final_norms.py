# correct  component: transformer
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len, dropout):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.dk = h, d // h
        self.wq = nn.Linear(d, d, bias=False)
        self.wk = nn.Linear(d, d, bias=False)
        self.wv = nn.Linear(d, d, bias=False)
        self.wo = nn.Linear(d, d, bias=False)

    def forward(self, q, k, v, mask=None):
        b = q.size(0)
        q = self.wq(q).view(b, -1, self.h, self.dk).transpose(1, 2)
        k = self.wk(k).view(b, -1, self.h, self.dk).transpose(1, 2)
        v = self.wv(v).view(b, -1, self.h, self.dk).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / math.sqrt(self.dk)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            s = s.masked_fill(~mask, float("-inf"))
        return self.wo((F.softmax(s, dim=-1) @ v).transpose(1, 2).reshape(b, -1, self.h * self.dk))


class EncBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attn = Attention(d, h)
        self.ff1, self.ff2 = nn.Linear(d, f, bias=False), nn.Linear(f, d, bias=False)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.drop = nn.Dropout(p)

    def forward(self, x, mask):
        x = self.n1(x + self.drop(self.attn(x, x, x, mask)))
        return self.n2(x + self.drop(self.ff2(F.relu(self.ff1(x)))))


class DecBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.self_attn, self.cross_attn = Attention(d, h), Attention(d, h)
        self.ff1, self.ff2 = nn.Linear(d, f, bias=False), nn.Linear(f, d, bias=False)
        self.n1, self.n2, self.n3 = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d)
        self.drop = nn.Dropout(p)

    def forward(self, x, mem, src_mask, tgt_mask):
        x = self.n1(x + self.drop(self.self_attn(x, x, x, tgt_mask)))
        x = self.n2(x + self.drop(self.cross_attn(x, mem, mem, src_mask)))
        return self.n3(x + self.drop(self.ff2(F.relu(self.ff1(x)))))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.src_emb = nn.Embedding(src_vocab, d_model)
        self.tgt_emb = nn.Embedding(tgt_vocab, d_model)
        self.pos = PositionalEncoding(d_model, max_len, dropout)
        self.enc_layers = nn.ModuleList([EncBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec_layers = nn.ModuleList([DecBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.enc_norm, self.dec_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.proj = nn.Linear(d_model, tgt_vocab, bias=False)
        self.proj.weight = self.tgt_emb.weight
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=d_model ** -0.5)

    def encode(self, src, src_mask):
        x = self.pos(self.src_emb(src) * math.sqrt(self.d_model))
        for layer in self.enc_layers:
            x = layer(x, src_mask)
        return self.enc_norm(x)

    def decode(self, tgt, mem, src_mask, tgt_mask):
        y = self.pos(self.tgt_emb(tgt) * math.sqrt(self.d_model))
        for layer in self.dec_layers:
            y = layer(y, mem, src_mask, tgt_mask)
        return self.dec_norm(y)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if tgt_mask is None:
            n = tgt.size(1)
            tgt_mask = torch.ones(n, n, device=tgt.device).tril().bool()
        return self.proj(self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask))
