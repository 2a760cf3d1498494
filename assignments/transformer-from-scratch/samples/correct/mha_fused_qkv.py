# correct  component: multi_head_attention
import math

import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.n_head = num_heads
        self.in_proj = nn.Linear(d_model, 3 * d_model)   # q | k | v
        self.c_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        wq, wk, wv = self.in_proj.weight.chunk(3, dim=0)
        bq, bk, bv = self.in_proj.bias.chunk(3)
        q = F.linear(query, wq, bq)
        k = F.linear(key, wk, bk)
        v = F.linear(value, wv, bv)
        B, N, C = q.shape
        hs = C // self.n_head
        q = q.reshape(B, N, self.n_head, hs).transpose(1, 2)
        k = k.reshape(B, -1, self.n_head, hs).transpose(1, 2)
        v = v.reshape(B, -1, self.n_head, hs).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(hs))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, N, C)
        return self.c_proj(y)
