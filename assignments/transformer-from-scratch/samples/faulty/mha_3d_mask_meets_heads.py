# faulty  component: multi_head_attention
# what: a per-sample mask (batch, n, m) gets no head axis, so its batch axis meets the heads
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads")
        self.h = num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        sp = lambda t: t.unflatten(-1, (self.h, -1)).transpose(1, 2)
        q, k, v = sp(self.wq(query)), sp(self.wk(key)), sp(self.wv(value))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(mask == False, float("-inf"))
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
