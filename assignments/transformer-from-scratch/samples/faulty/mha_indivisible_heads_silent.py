# misconception: mha-indivisible-heads-silent  component: multi_head_attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_k = int(d_model / num_heads)
        self.num_heads = num_heads
        inner = self.d_k * num_heads
        self.wk = nn.Linear(d_model, inner, bias=False)
        self.wv = nn.Linear(d_model, inner, bias=False)
        self.wq = nn.Linear(d_model, inner, bias=False)
        self.wo = nn.Linear(inner, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        h = lambda t: t.unflatten(-1, (self.num_heads, self.d_k)).transpose(1, 2)
        s = h(self.wq(query)) @ h(self.wk(key)).transpose(-2, -1) / self.d_k ** 0.5
        if mask is not None:
            s = s.masked_fill(torch.logical_not(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
        return self.wo((s.softmax(-1) @ h(self.wv(value))).transpose(1, 2).flatten(2))
