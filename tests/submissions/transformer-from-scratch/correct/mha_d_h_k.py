# correct  component: multi_head_attention  style: parameters (d_model, heads, d_k) with biases (heads, d_k)
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        h, w = num_heads, d_model // num_heads
        self.q_kernel, self.k_kernel, self.v_kernel = (nn.Parameter(torch.randn(d_model, h, w) * d_model**-0.5) for _ in range(3))
        self.q_bias, self.k_bias, self.v_bias = (nn.Parameter(torch.zeros(h, w)) for _ in range(3))
        self.o_kernel, self.o_bias = nn.Parameter(torch.randn(h, w, d_model) * d_model**-0.5), nn.Parameter(torch.zeros(d_model))

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnd,dhk->bnhk", query, self.q_kernel) + self.q_bias
        k = torch.einsum("bnd,dhk->bnhk", key, self.k_kernel) + self.k_bias
        v = torch.einsum("bnd,dhk->bnhk", value, self.v_kernel) + self.v_bias
        s = torch.einsum("bnhk,bmhk->bhnm", q / q.shape[-1] ** 0.5, k)
        if mask is not None:
            s = torch.where(mask[:, None] if mask.dim() == 3 else mask, s, torch.finfo(s.dtype).min)
        return torch.einsum("bhnm,bmhk,hkd->bnd", s.softmax(-1), v, self.o_kernel) + self.o_bias
