# correct  component: encoder_layer  style: every parameter raw, in one class
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.h, self.p = num_heads, dropout
        new = lambda *shape: nn.Parameter(torch.randn(*shape) * shape[0] ** -0.5)
        self.wq, self.wk, self.wv, self.wo = (new(d_model, d_model) for _ in range(4))
        self.bq, self.bk, self.bv, self.bo = (nn.Parameter(torch.zeros(d_model)) for _ in range(4))
        self.w1, self.b1, self.w2, self.b2 = new(d_model, d_ff), nn.Parameter(torch.zeros(d_ff)), new(d_ff, d_model), nn.Parameter(torch.zeros(d_model))
        self.g1, self.s1, self.g2, self.s2 = (nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)),
                                              nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)))

    def norm(self, x, gain, shift):
        x = x - x.mean(-1, keepdim=True)
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * gain + shift

    def forward(self, x, mask=None):
        q, k, v = ((x @ w + b).unflatten(-1, (self.h, -1)).transpose(1, 2)
                   for w, b in ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv)))
        s = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        a = (s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ self.wo + self.bo
        x = self.norm(x + F.dropout(a, self.p, self.training), self.g1, self.s1)
        f = torch.relu(x @ self.w1 + self.b1) @ self.w2 + self.b2
        return self.norm(x + F.dropout(f, self.p, self.training), self.g2, self.s2)
