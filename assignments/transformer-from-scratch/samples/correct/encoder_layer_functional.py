# correct  component: encoder_layer
"""Functional style: the class only holds parameters, functions do the work."""
import torch
import torch.nn.functional as F
from torch import nn


def layernorm(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b, 1e-5)


def attention(x, wq, wk, wv, wo, nhead, mask):
    def heads(t):
        return torch.stack(torch.chunk(t, nhead, dim=-1), dim=1)
    q, k, v = heads(x @ wq), heads(x @ wk), heads(x @ wv)
    s = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5)
    if mask is not None:
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        s = torch.where(mask, s, torch.tensor(-1e20, dtype=s.dtype, device=s.device))
    z = F.softmax(s, dim=-1) @ v
    return torch.cat(torch.unbind(z, dim=1), dim=-1) @ wo


def ffn(x, w1, b1, w2, b2):
    return F.relu(x @ w1 + b1) @ w2 + b2


def param(*shape):
    return nn.Parameter(nn.init.normal_(torch.empty(*shape), std=0.02) if len(shape) > 1 else torch.zeros(*shape))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        d = d_model
        self.nhead, self.p = num_heads, dropout
        self.att = nn.ParameterList([param(d, d) for _ in range(4)])
        self.mlp = nn.ParameterDict(dict(w1=param(d, d_ff), b1=param(d_ff), w2=param(d_ff, d), b2=param(d)))
        self.g1, self.s1 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
        self.g2, self.s2 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))

    def forward(self, x, mask=None):
        a = attention(x, *self.att, self.nhead, mask)
        x = layernorm(x + F.dropout(a, self.p, self.training), self.g1, self.s1)
        f = ffn(x, **self.mlp)
        return layernorm(x + F.dropout(f, self.p, self.training), self.g2, self.s2)
