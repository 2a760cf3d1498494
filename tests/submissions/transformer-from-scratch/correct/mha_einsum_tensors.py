# correct  component: multi_head_attention  style: tensors of three axes and einsum
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        width = d_model // num_heads
        self.q = nn.Parameter(torch.randn(num_heads, d_model, width) * d_model**-0.5)
        self.k = nn.Parameter(torch.randn(num_heads, d_model, width) * d_model**-0.5)
        self.v = nn.Parameter(torch.randn(num_heads, d_model, width) * d_model**-0.5)
        self.o = nn.Parameter(torch.randn(num_heads, width, d_model) * d_model**-0.5)

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnd,hdk->bhnk", query, self.q)
        k = torch.einsum("bmd,hdk->bhmk", key, self.k)
        v = torch.einsum("bmd,hdk->bhmk", value, self.v)
        s = torch.einsum("bhnk,bhmk->bhnm", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(torch.logical_not(mask[:, None] if mask.ndim == 3 else mask), -1e10)
        return torch.einsum("bhnm,bhmk,hkd->bnd", s.softmax(dim=-1), v, self.o)
