# correct  component: multi_head_attention  style: vmap over heads
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.h = num_heads
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        if mask is None:
            mask = torch.ones((), dtype=torch.bool, device=query.device)
        mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
        mask = mask.expand(query.shape[0], self.h, query.shape[1], key.shape[1])

        def head(q, k, v, m):
            s = (q @ k.T) / math.sqrt(q.shape[-1])
            return torch.softmax(torch.where(m, s, -torch.inf), -1) @ v

        split = lambda x: x.reshape(*x.shape[:2], self.h, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(query)), split(self.k_proj(key)), split(self.v_proj(value))
        y = torch.vmap(torch.vmap(head))(q, k, v, mask)
        return self.out_proj(y.transpose(1, 2).flatten(2))
