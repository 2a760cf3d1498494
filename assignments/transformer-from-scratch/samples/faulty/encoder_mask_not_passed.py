# misconception: encoder-mask-not-passed  component: encoder_layer
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("...")
        self.heads = num_heads
        self.w = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, query, key, value, mask=None):
        q, k, v = (l(t).unflatten(-1, (self.heads, -1)).movedim(-2, 1) for l, t in zip(self.w, (query, key, value)))
        s = torch.matmul(q, k.mT) / q.size(-1) ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            s = s.masked_fill(~mask, float("-inf"))
        return self.w[3](torch.matmul(s.softmax(-1), v).movedim(1, -2).flatten(-2))


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.res1, self.res2 = AddNorm(d_model, dropout), AddNorm(d_model, dropout)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, mask=None):
        x = self.res1(x, lambda t: self.attn(t, t, t))
        return self.res2(x, self.mlp)
