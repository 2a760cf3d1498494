# correct  component: add_norm
import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.w = nn.Parameter(torch.ones(features))
        self.b = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        x = x - x.mean(dim=-1, keepdim=True)
        return x / (x.pow(2).mean(dim=-1, keepdim=True) + self.eps).sqrt() * self.w + self.b


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.ln, self.rate = LayerNorm(d_model), dropout

    def forward(self, x, sublayer):
        return self.ln(x + F.dropout(sublayer(x), p=self.rate, training=self.training))
