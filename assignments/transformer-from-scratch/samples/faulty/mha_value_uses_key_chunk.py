# misconception: mha-value-uses-key-projection  component: multi_head_attention
import torch
from torch import nn
import torch.nn.functional as F

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.heads, self.size = num_heads, d_model // num_heads
        self.in_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_bias = nn.Parameter(torch.zeros(3 * d_model))
        nn.init.xavier_uniform_(self.in_weight)
        self.out = nn.Linear(d_model, d_model)

    def project(self, x, part):
        w = self.in_weight.chunk(3)[part]
        b = self.in_bias.chunk(3)[part]
        return F.linear(x, w, b).unflatten(-1, (self.heads, self.size))

    def forward(self, query, key, value, mask=None):
        q = self.project(query, 0)
        k = self.project(key, 1)
        v = self.project(value, 1)
        e = torch.einsum("bihc,bjhc->bhij", q, k) * self.size ** -0.5
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
            e = torch.where(mask, e, e.new_tensor(torch.finfo(e.dtype).min))
        p = torch.exp(e - e.logsumexp(-1, keepdim=True))
        o = torch.einsum("bhij,bjhc->bihc", p, v)
        return self.out(o.flatten(-2))
