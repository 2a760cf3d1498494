# correct  component: multi_head_attention
import torch
import torch.nn as nn
import math


class MultiHeadAttention(nn.Module):
    """Projections as 1x1 convolutions (tensor2tensor does something like that)."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.conv_v = nn.Conv1d(d_model, d_model, 1)
        self.conv_k = nn.Conv1d(d_model, d_model, 1)
        self.conv_q = nn.Conv1d(d_model, d_model, 1)
        self.conv_o = nn.Conv1d(d_model, d_model, 1)

    def forward(self, query, key, value, mask=None):
        # (b, n, c) -> (b, c, n)
        q, k, v = self.conv_q(query.mT), self.conv_k(key.mT), self.conv_v(value.mT)
        b, c, n = q.shape
        q = q.view(b, self.num_heads, c // self.num_heads, n)
        k = k.view(b, self.num_heads, c // self.num_heads, -1)
        v = v.view(b, self.num_heads, c // self.num_heads, -1)
        scores = torch.matmul(q.transpose(2, 3), k) / math.sqrt(c // self.num_heads)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -1e4 * 1e5)
        p = torch.softmax(scores, dim=-1)                   # b h n m
        out = torch.matmul(v, p.transpose(2, 3))            # b h dk n
        return self.conv_o(out.reshape(b, c, n)).transpose(1, 2)
