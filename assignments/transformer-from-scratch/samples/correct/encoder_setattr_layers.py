# correct  component: encoder
import torch, torch.nn as nn, torch.nn.functional as F

class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.heads = num_heads
        self.in_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm_attn, self.norm_ffn = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = dropout

    def forward(self, x, mask=None):
        q, k, v = self.in_proj(x).chunk(3, -1)
        sh = lambda t: t.reshape(*t.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = sh(q), sh(k), sh(v)
        bias = 0.0
        if mask is not None:
            if mask.dim() == 3: mask = mask[:, None]
            bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(~mask, -float("inf"))
        w = F.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** .5 + bias, -1)
        a = self.out_proj((w @ v).transpose(1, 2).reshape(x.shape))
        x = self.norm_attn(x + F.dropout(a, self.dropout, self.training))
        return self.norm_ffn(x + F.dropout(self.ffn(x), self.dropout, self.training))

class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.n = num_layers
        for i in range(num_layers):
            setattr(self, f"layer_{i}", EncoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, x, mask=None):
        for i in range(self.n):
            x = getattr(self, f"layer_{i}")(x, mask=mask)
        return x
