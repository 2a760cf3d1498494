# faulty  component: encoder_layer
# what: negates the mask before handing it to attention that already reads True as may attend
import math
import torch
import torch.nn as nn


def attention(q, k, v, mask=None):
    """mask True = keep"""
    s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~mask, -1e9)
    return s.softmax(-1) @ v


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.nh = num_heads
        self.to_q, self.to_k, self.to_v, self.to_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.ln_1, self.ln_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = ~mask     # padding = True
        q, k, v = (f(x).unflatten(-1, (self.nh, -1)).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        a = self.to_o(attention(q, k, v, mask).transpose(1, 2).flatten(2))
        x = self.ln_1(x + self.dropout(a))
        return self.ln_2(x + self.dropout(self.ffn(x)))
