# misconception: enc-missing-residual  component: encoder_layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        split = lambda t: t.reshape(b, t.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        q, k, v = split(self.query(query)), split(self.key(key)), split(self.value(value))
        e = torch.einsum("bhqd,bhkd->bhqk", q, k) * (d // self.num_heads) ** -0.5
        if mask is not None:
            e = e.masked_fill(~(mask if mask.dim() != 3 else mask.unsqueeze(1)), -1e9)
        return self.out(torch.einsum("bhqk,bhkd->bqhd", F.softmax(e, -1), v).reshape(b, n, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.norm_a = nn.LayerNorm(d_model)
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm_b = nn.LayerNorm(d_model)
        self.do = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm_a(x + self.do(self.mha(x, x, x, mask)))
        x = self.norm_b(self.do(self.fc2(F.relu(self.fc1(x)))))
        return x
