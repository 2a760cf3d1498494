# misconception: mha-view-on-noncontiguous  component: multi_head_attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError()
        self.h, self.d = num_heads, d_model // num_heads
        self.kqv = nn.ModuleDict({n: nn.Linear(d_model, d_model) for n in ("key", "query", "value", "out")})

    def forward(self, query, key, value, mask=None):
        B = query.size(0)
        q = self.kqv["query"](query).view(B, query.size(1), self.h, self.d)
        k = self.kqv["key"](key).view(B, key.size(1), self.h, self.d)
        v = self.kqv["value"](value).view(B, value.size(1), self.h, self.d)
        e = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            e = torch.where(mask, e, float("-inf"))
        c = torch.softmax(e, 3) @ v.permute(0, 2, 1, 3)
        c = c.permute(0, 2, 1, 3).view(B, -1, self.h * self.d)
        return self.kqv["out"](c)
