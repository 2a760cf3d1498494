# correct  component: multi_head_attention  style: one parameter (4, d_model, d_model)
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
        self.w = nn.Parameter(torch.randn(4, d_model, d_model) * d_model**-0.5)

    def forward(self, query, key, value, mask=None):
        q, k, v = ((x @ self.w[i]).unflatten(-1, (self.h, -1)).transpose(1, 2) for i, x in enumerate((query, key, value)))
        return attend(q, k, v, mask).transpose(1, 2).flatten(2) @ self.w[3]
