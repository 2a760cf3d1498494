# misconception: mha-missing-output-projection  component: multi_head_attention
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_in, d_out) for _ in range(3))

    def forward(self, q, k, v, m):
        s = self.q(q) @ self.k(k).mT / self.q.out_features ** 0.5
        if m is not None:
            s = s.masked_fill(~m, float("-inf"))
        return s.softmax(-1) @ self.v(v)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))

    def forward(self, query, key, value, mask=None):
        def for_head(i):
            if mask is None or mask.dim() < 4:
                return mask
            return mask[:, i % mask.size(1)]
        return torch.cat([h(query, key, value, for_head(i)) for i, h in enumerate(self.heads)], -1)
