# misconception: mha-value-uses-key-projection  component: multi_head_attention
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("bad sizes")
        self.num_heads = num_heads
        self.proj = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        D = query.size(-1)
        W, b = self.proj.weight, self.proj.bias
        q = F.linear(query, W[:D], b[:D])
        k = F.linear(key, W[D:2 * D], b[D:2 * D])
        v = F.linear(value, W[D:2 * D], b[D:2 * D])
        q, k, v = (t.view(*t.shape[:2], self.num_heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(2, 3) / (D // self.num_heads) ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -1e9)
        ctx = scores.softmax(-1) @ v
        return self.out(ctx.transpose(1, 2).flatten(2))
