# faulty  component: multi_head_attention
# what: splits the heads by a bare view (batch, heads, n, d_k) without a transpose, so positions are cut up among the heads
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("sizes")
        self.heads, self.size = num_heads, d_model // num_heads
        self.lin_q, self.lin_k, self.lin_v, self.lin_o = [nn.Linear(d_model, d_model) for _ in range(4)]

    def forward(self, query, key, value, mask=None):
        B, N, D = query.shape
        M = key.shape[1]
        q = self.lin_q(query).view(B, self.heads, N, self.size)
        k = self.lin_k(key).view(B, self.heads, M, self.size)
        v = self.lin_v(value).view(B, self.heads, M, self.size)
        s = q @ k.transpose(-1, -2) / self.size ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), float("-inf"))
        return self.lin_o((s.softmax(-1) @ v).view(B, N, D))
