# faulty  component: encoder_layer
# what: one LayerNorm serves both sublayers
import torch
from torch import nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mask):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)) for w in (self.w_q, self.w_k, self.w_v))
        s = torch.einsum("bihd,bjhd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
        return self.w_o(torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = Attention(d_model, num_heads)
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.p = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm(x + self.p(self.attn(x, mask)))
        return self.norm(x + self.p(self.fc2(F.relu(self.fc1(x)))))
