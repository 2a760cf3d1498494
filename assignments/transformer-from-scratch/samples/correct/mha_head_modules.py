# correct  component: multi_head_attention
import torch
import torch.nn as nn


class Head(nn.Module):
    """one head of self- or cross-attention"""

    def __init__(self, d_model, head_size):
        super().__init__()
        self.key = nn.Linear(d_model, head_size, bias=False)
        self.query = nn.Linear(d_model, head_size, bias=False)
        self.value = nn.Linear(d_model, head_size, bias=False)

    def forward(self, q_in, k_in, v_in, mask):
        k, q = self.key(k_in), self.query(q_in)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        if mask is not None:
            wei = wei.masked_fill(mask == False, float("-inf"))
        wei = wei.softmax(dim=-1)
        return wei @ self.value(v_in)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        head_size, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("bad number of heads")
        self.heads = nn.ModuleList([Head(d_model, head_size) for _ in range(num_heads)])
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        outs = []
        for i, h in enumerate(self.heads):
            m = mask
            if mask is not None and mask.dim() == 4:
                m = mask[:, i] if mask.size(1) > 1 else mask[:, 0]
            outs.append(h(query, key, value, m))
        return self.proj(torch.cat(outs, dim=-1))
