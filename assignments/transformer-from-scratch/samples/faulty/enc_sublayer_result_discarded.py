# misconception: enc-sublayer-result-discarded  component: encoder_layer
import torch
import torch.nn as nn


def attn(q, k, v, mask=None):
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), v).flatten(2)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.shape = (num_heads, d_model // num_heads)
        self.Wq, self.Wk, self.Wv, self.Wo = (nn.Linear(d_model, d_model) for _ in range(4))
        self.ln_attn, self.ln_ffn = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = (w(x).unflatten(-1, self.shape) for w in (self.Wq, self.Wk, self.Wv))
        h = self.ln_attn(x + self.dropout(self.Wo(attn(q, k, v, mask))))
        out = self.ln_ffn(x + self.dropout(self.ffn(x)))
        return out
