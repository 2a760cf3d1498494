import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.w = nn.ParameterList([nn.Parameter(torch.randn(d_model, d_model) / d_model ** 0.5) for _ in range(4)])
        self.h = num_heads

    def forward(self, query, key, value, mask=None):
        q, k, v = (torch.stack((x @ w).chunk(self.h, -1), 1) for x, w in zip((query, key, value), self.w))
        s = torch.einsum("bhnd,bhmd->bhnm", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            m = mask if mask.dim() != 3 else mask[:, None]
            s = torch.where(m, s, torch.tensor(-1e9, dtype=s.dtype, device=s.device))
        o = torch.einsum("bhnm,bhmd->bhnd", torch.softmax(s, -1), v)
        return torch.cat(list(o.unbind(1)), -1) @ self.w[3]
