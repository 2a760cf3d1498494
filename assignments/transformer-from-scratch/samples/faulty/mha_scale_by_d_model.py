# faulty  component: multi_head_attention
# what: divides the scores by sqrt(d_model) instead of sqrt(d_k)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.d_model, self.h = d_model, num_heads
        self.keys = nn.Linear(d_model, d_model)
        self.queries = nn.Linear(d_model, d_model)
        self.values = nn.Linear(d_model, d_model)
        self.fc_out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        N, n, _ = query.shape
        q = self.queries(query).reshape(N, n, self.h, -1)
        k = self.keys(key).reshape(N, key.shape[1], self.h, -1)
        v = self.values(value).reshape(N, key.shape[1], self.h, -1)
        energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
        if mask is not None:
            energy = energy.masked_fill((mask.unsqueeze(1) if mask.dim() == 3 else mask) == 0, float("-1e20"))
        attention = torch.softmax(energy / (self.d_model ** (1 / 2)), dim=3)
        return self.fc_out(torch.einsum("nhqk,nkhd->nqhd", attention, v).reshape(N, n, -1))
