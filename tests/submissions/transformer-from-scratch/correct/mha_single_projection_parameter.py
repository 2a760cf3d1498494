# correct  component: multi_head_attention  style: in_proj_weight and out_proj as the library keeps them
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.num_heads = num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, key, value, mask=None):
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bk, bv = self.in_proj_bias.chunk(3)
        q, k, v = F.linear(query, wq, bq), F.linear(key, wk, bk), F.linear(value, wv, bv)
        b, n, d = q.shape
        heads = lambda t: t.contiguous().view(b, t.shape[1], self.num_heads, d // self.num_heads).transpose(1, 2)
        s = heads(q) @ heads(k).transpose(-1, -2) / math.sqrt(d // self.num_heads)
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.out_proj((s.softmax(-1) @ heads(v)).transpose(1, 2).reshape(b, n, d))
