# misconception: mha-heads-summed  component: multi_head_attention
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        dk = d_model // num_heads
        self.wq = nn.Parameter(torch.randn(num_heads, d_model, dk) * 0.1)
        self.wk = nn.Parameter(torch.randn(num_heads, d_model, dk) * 0.1)
        self.wv = nn.Parameter(torch.randn(num_heads, d_model, dk) * 0.1)
        self.wo = nn.Parameter(torch.randn(dk, d_model) * 0.1)

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnc,hcd->bhnd", query, self.wq)
        k = torch.einsum("bnc,hcd->bhnd", key, self.wk)
        v = torch.einsum("bnc,hcd->bhnd", value, self.wv)
        s = torch.einsum("bhnd,bhmd->bhnm", q, k) / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        # average over the heads
        out = torch.einsum("bhnm,bhmd->bhnd", torch.softmax(s, -1), v).mean(dim=1)
        return out @ self.wo
