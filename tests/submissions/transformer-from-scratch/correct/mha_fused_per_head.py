# correct  component: multi_head_attention  style: one linear layer, interleaved per head
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
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.h = num_heads
        self.projection = nn.Linear(d_model, 3 * d_model, bias=False)
        self.combine = nn.Linear(d_model, d_model, bias=False)

    def part(self, x, index):
        b, n, _ = x.shape
        return self.projection(x).view(b, n, self.h, 3, -1)[:, :, :, index].permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        y = attend(self.part(query, 0), self.part(key, 1), self.part(value, 2), mask)
        return self.combine(y.permute(0, 2, 1, 3).reshape(query.shape))
