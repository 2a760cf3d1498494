# misconception: encoder-mask-not-passed  component: encoder_layer
import torch
from torch import nn
import torch.nn.functional as F

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("bad heads")
        self.n = num_heads
        self.wq, self.wkv, self.wo = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model * 2), nn.Linear(d_model, d_model)

    def cut(self, t):
        return torch.stack(t.chunk(self.n, dim=-1), dim=1)

    def forward(self, query, key, value, mask=None):
        d = query.shape[-1]
        q = self.cut(self.wq(query))
        k = self.cut(F.linear(key, self.wkv.weight[:d], self.wkv.bias[:d]))
        v = self.cut(F.linear(value, self.wkv.weight[d:], self.wkv.bias[d:]))
        a = torch.einsum("bhqc,bhkc->bhqk", q, k) / (d / self.n) ** 0.5
        if mask is not None:
            a = a.masked_fill(~(mask[:, None] if mask.ndim == 3 else mask), -torch.inf)
        o = F.softmax(a, -1) @ v
        return self.wo(torch.cat(o.unbind(1), dim=-1))


def residual(norm, x, fresh):
    return norm(torch.add(x, fresh))

class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.att = MultiHeadAttention(d_model, num_heads)
        self.w_in = nn.Parameter(torch.randn(d_model, d_ff) * d_model ** -0.5)
        self.b_in = nn.Parameter(torch.zeros(d_ff))
        self.w_out = nn.Parameter(torch.randn(d_ff, d_model) * d_ff ** -0.5)
        self.b_out = nn.Parameter(torch.zeros(d_model))
        self.n1, self.n2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        u = residual(self.n1, x, self.drop(self.att(x, x, x)))
        h = torch.relu(u @ self.w_in + self.b_in)
        return residual(self.n2, u, self.drop(h @ self.w_out + self.b_out))
