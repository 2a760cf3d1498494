# correct  component: multi_head_attention  style: a dictionary of parameters and functional calls
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
    return scores.softmax(-1) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.h = num_heads
        self.theta = nn.ParameterDict({name: nn.Parameter(torch.randn(d_model, d_model) * 0.1) for name in ("out", "val", "key", "qry")})
        self.offset = nn.ParameterDict({name: nn.Parameter(torch.zeros(d_model)) for name in ("out", "val", "key", "qry")})

    def project(self, x, name):
        return torch.addmm(self.offset[name], x.flatten(0, 1), self.theta[name]).view(*x.shape)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.project(x, name).unflatten(-1, (self.h, -1)).transpose(1, 2)
                   for x, name in ((query, "qry"), (key, "key"), (value, "val")))
        return self.project(attend(q, k, v, mask).transpose(1, 2).flatten(2), "out")
