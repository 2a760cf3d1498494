# misconception: mha-linear-created-in-forward  component: multi_head_attention
import torch
from torch import nn


def attention(q, k, v, mask):
    s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return s.softmax(dim=-1) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads must be 0")
        self.d_model = d_model
        self.num_heads = num_heads

    def forward(self, query, key, value, mask=None):
        d, h = self.d_model, self.num_heads
        kw = dict(device=query.device, dtype=query.dtype)
        q = nn.Linear(d, d, **kw)(query).unflatten(-1, (h, d // h)).transpose(1, 2)
        k = nn.Linear(d, d, **kw)(key).unflatten(-1, (h, d // h)).transpose(1, 2)
        v = nn.Linear(d, d, **kw)(value).unflatten(-1, (h, d // h)).transpose(1, 2)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        out = attention(q, k, v, mask).transpose(1, 2).flatten(2)
        return nn.Linear(d, d, **kw)(out)
