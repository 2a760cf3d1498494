import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    """one tensor (4, d, d) for all projections"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.h = num_heads
        self.w = nn.Parameter(torch.stack([nn.init.xavier_uniform_(torch.empty(d_model, d_model)) for _ in range(4)]))
        self.b = nn.Parameter(torch.zeros(4, d_model))

    def forward(self, query, key, value, mask=None):
        q, k, v = (x @ w + b for x, w, b in zip((query, key, value), self.w, self.b))
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (q, k, v))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~(mask if mask.dim() != 3 else mask[:, None]), -1000000000.0)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ self.w[3] + self.b[3]
