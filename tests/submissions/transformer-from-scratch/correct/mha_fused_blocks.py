# correct  component: multi_head_attention  style: one linear layer for q, k and v, in blocks
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
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        w, b = self.qkv.weight.chunk(3), self.qkv.bias.chunk(3)
        q, k, v = (F.linear(x, w[i], b[i]).unflatten(-1, (self.heads, -1)).transpose(1, 2) for i, x in enumerate((query, key, value)))
        return self.out(attend(q, k, v, mask).transpose(1, 2).flatten(2))
