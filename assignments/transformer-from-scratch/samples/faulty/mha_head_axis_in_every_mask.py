# faulty  component: multi_head_attention
# what: inserts a head axis into 2-axis masks as well, so (n, m) becomes (n, 1, m) and rows are treated as heads
import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("cannot split")
        self.num_heads = num_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.size()
        q = self.q(query).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.k(key).view(b, key.size(1), self.num_heads, -1).transpose(1, 2)
        v = self.v(value).view(b, key.size(1), self.num_heads, -1).transpose(1, 2)
        a = torch.matmul(q, k.transpose(2, 3)) / q.size(-1) ** 0.5
        if mask is not None:
            if mask.dim() < 4:
                mask = mask.unsqueeze(-2) if mask.dim() == 2 else mask.unsqueeze(1)
            a = a.masked_fill(~mask, -1e9)
        return self.o(torch.matmul(F.softmax(a, -1), v).transpose(1, 2).reshape(b, n, d))
