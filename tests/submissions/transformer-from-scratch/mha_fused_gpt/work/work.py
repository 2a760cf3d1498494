import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.n_head, self.n_embd = num_heads, d_model

    def forward(self, query, key, value, mask=None):
        d = self.n_embd
        W, B = self.c_attn.weight, self.c_attn.bias
        q = F.linear(query, W[:d], B[:d])
        k = F.linear(key, W[d:2 * d], B[d:2 * d])
        v = F.linear(value, W[2 * d:], B[2 * d:])
        B_, n, _ = q.shape
        q, k, v = (x.view(B_, -1, self.n_head, d // self.n_head).transpose(1, 2) for x in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if mask is not None:
            att = att.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B_, n, d))
