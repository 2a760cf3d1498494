# correct  component: multi_head_attention  style: keys and values fused, heads folded into the batch
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.h, self.w = num_heads, d_model // num_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_out = nn.Sequential(nn.Linear(d_model, d_model))

    def fold(self, x):
        b, n, _ = x.shape
        return x.reshape(b, n, self.h, self.w).permute(0, 2, 1, 3).reshape(b * self.h, n, self.w)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        k = self.fold(self.to_kv(key).chunk(2, dim=-1)[0])
        v = self.fold(self.to_kv(value).chunk(2, dim=-1)[1])
        s = torch.baddbmm(torch.zeros((), dtype=query.dtype), self.fold(self.to_q(query)), k.transpose(1, 2), beta=0, alpha=self.w**-0.5)
        if mask is not None:
            if mask.dim() == 4:
                mask = mask.expand(b, self.h, n, key.shape[1]).reshape(b * self.h, n, key.shape[1])
            elif mask.dim() == 3:
                mask = mask.repeat_interleave(self.h, dim=0)
            s = s.masked_fill(~mask, float("-inf"))
        y = torch.bmm(s.softmax(-1), v).view(b, self.h, n, self.w)
        return self.to_out(y.transpose(1, 2).reshape(b, n, d))
