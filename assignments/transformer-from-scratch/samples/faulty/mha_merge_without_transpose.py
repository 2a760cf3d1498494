# misconception: mha-merge-without-transpose  component: multi_head_attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("not divisible")
        self.nh = num_heads
        self.toq = nn.Linear(d_model, d_model)
        self.tok = nn.Linear(d_model, d_model)
        self.tov = nn.Linear(d_model, d_model)
        self.unify = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (t.unflatten(-1, (self.nh, -1)).movedim(2, 1) for t in (self.toq(query), self.tok(key), self.tov(value)))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), float("-inf"))
        heads = torch.einsum("bhij,bhjd->bhid", s.softmax(-1), v)
        return self.unify(torch.reshape(heads, query.shape))
