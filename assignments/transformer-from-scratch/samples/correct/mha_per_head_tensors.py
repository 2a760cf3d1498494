# correct  component: multi_head_attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """W^Q_i etc. kept as one (h, d_model, d_k) tensor, like in the formula of 3.2.2"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_k would not be a whole number")
        d_k = d_model // num_heads
        std = (2.0 / (d_model + d_k)) ** 0.5
        self.Q = nn.Parameter(torch.randn(num_heads, d_model, d_k) * std)
        self.K = nn.Parameter(torch.randn(num_heads, d_model, d_k) * std)
        self.V = nn.Parameter(torch.randn(num_heads, d_model, d_k) * std)
        self.O = nn.Parameter(torch.randn(num_heads, d_k, d_model) * std)
        self.scale = d_k ** 0.5

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnc,hcd->bhnd", query, self.Q)
        k = torch.einsum("bmc,hcd->bhmd", key, self.K)
        v = torch.einsum("bmc,hcd->bhmd", value, self.V)
        scores = torch.einsum("bhnd,bhmd->bhnm", q, k) / self.scale
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None, :, :]
            scores = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        p = torch.softmax(scores, dim=-1)
        return torch.einsum("bhnm,bhmd,hdc->bnc", p, v, self.O)
