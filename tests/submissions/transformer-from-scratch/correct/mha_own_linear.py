# correct  component: multi_head_attention  style: a Linear class of its own with (in, out) weights
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Linear(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(fan_in, fan_out) * fan_in**-0.5)
        self.bias = nn.Parameter(torch.zeros(fan_out))

    def forward(self, x):
        return x @ self.weight + self.bias


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.h = num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        s = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.w_o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
