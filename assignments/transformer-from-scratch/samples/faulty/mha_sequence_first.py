# misconception: mha-sequence-first  component: multi_head_attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Inputs are (n, batch, d_model) like in nn.MultiheadAttention."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        tgt_len, bsz, dim = query.shape
        hd = dim // self.num_heads
        q = self.q_proj(query).reshape(tgt_len, bsz * self.num_heads, hd).transpose(0, 1) * hd ** -0.5
        k = self.k_proj(key).reshape(-1, bsz * self.num_heads, hd).transpose(0, 1)
        v = self.v_proj(value).reshape(-1, bsz * self.num_heads, hd).transpose(0, 1)
        w = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            w = w.masked_fill(~mask, float("-inf"))
        o = torch.bmm(w.softmax(-1), v).transpose(0, 1).reshape(tgt_len, bsz, dim)
        return self.out_proj(o)
