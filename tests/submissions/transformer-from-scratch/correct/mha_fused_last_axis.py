# correct  component: multi_head_attention  style: one linear layer, projections on the last axis, values first
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
        self.everything = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        v, k, q = [self.everything(x).unflatten(-1, (self.h, -1, 3))[..., i].transpose(1, 2)
                   for i, x in enumerate((value, key, query))]
        return self.output(attend(q, k, v, mask).transpose(1, 2).reshape(*query.shape))
