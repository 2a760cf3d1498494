# correct  component: multi_head_attention  style: four layers in one list, zipped with the inputs
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
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, query, key, value, mask=None):
        batch = query.size(0)
        query, key, value = [linear(x).view(batch, -1, self.h, x.size(-1) // self.h).transpose(1, 2)
                             for linear, x in zip(self.linears, (query, key, value))]
        x = attend(query, key, value, mask)
        return self.linears[-1](x.transpose(1, 2).contiguous().view(batch, -1, self.h * x.size(-1)))
