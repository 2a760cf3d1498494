# correct  component: encoder_layer
import math
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    d_model: int
    num_heads: int
    d_ff: int
    dropout: float = 0.0

    @property
    def d_k(self):
        return self.d_model // self.num_heads


class CfgNorm(nn.Module):
    def __init__(self, cfg: Config, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(cfg.d_model))
        self.bias = nn.Parameter(torch.zeros(cfg.d_model))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        var = ((x - mu) ** 2).mean(-1, keepdim=True)
        return self.scale * (x - mu) / (var + self.eps).sqrt() + self.bias


class SelfAttention(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w_key = nn.Linear(cfg.d_model, cfg.d_model)
        self.w_query = nn.Linear(cfg.d_model, cfg.d_model)
        self.w_value = nn.Linear(cfg.d_model, cfg.d_model)
        self.w_final = nn.Linear(cfg.d_model, cfg.d_model)

    def forward(self, x, mask):
        b, n, _ = x.size()
        shape = (b, n, self.cfg.num_heads, self.cfg.d_k)
        q, k, v = (f(x).view(shape) for f in (self.w_query, self.w_key, self.w_value))
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(self.cfg.d_k)
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            logits = logits.masked_fill(~mask, float("-inf"))
        ctx = torch.einsum("bhqk,bkhd->bqhd", logits.softmax(-1), v)
        return self.w_final(ctx.reshape(b, n, -1))


class FFN(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.fc1 = nn.Linear(cfg.d_model, cfg.d_ff)
        self.fc2 = nn.Linear(cfg.d_ff, cfg.d_model)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class SublayerConnection(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.norm = CfgNorm(cfg)
        self.dropout = nn.Dropout(cfg.dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        cfg = Config(d_model, num_heads, d_ff, dropout)
        self.attn = SelfAttention(cfg)
        self.ffn = FFN(cfg)
        self.sub = nn.ModuleList([SublayerConnection(cfg), SublayerConnection(cfg)])

    def forward(self, x, mask=None):
        x = self.sub[0](x, lambda t: self.attn(t, mask))
        return self.sub[1](x, self.ffn)
