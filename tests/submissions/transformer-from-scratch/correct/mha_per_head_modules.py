# correct  component: multi_head_attention  style: a module for each head
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, d_model, width):
        super().__init__()
        self.key = nn.Linear(d_model, width)
        self.query = nn.Linear(d_model, width)
        self.value = nn.Linear(d_model, width)

    def forward(self, query, key, value, mask):
        q, k, v = self.query(query), self.key(key), self.value(value)
        scores = torch.bmm(q, k.mT) * k.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return torch.bmm(F.softmax(scores, dim=-1), v)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        masks = [mask] * len(self.heads)
        if mask is not None and mask.dim() == 4:
            masks = [mask[:, i if mask.size(1) > 1 else 0] for i in range(len(self.heads))]
        return self.proj(torch.cat([head(query, key, value, m) for head, m in zip(self.heads, masks)], dim=-1))
