# correct  component: encoder_layer
import torch
from torch import nn

class FusedAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, d, bias=False)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        s = (q @ k.transpose(-1, -2)) * (d // self.h) ** -0.5
        if mask is not None:
            s = s.masked_fill(~(mask if mask.ndim != 3 else mask[:, None]), torch.finfo(s.dtype).min)
        return self.out((s.softmax(-1) @ v).permute(0, 2, 1, 3).flatten(2))

class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.slf = FusedAttention(d_model, num_heads)
        self.norm_first = nn.LayerNorm(d_model)
        self.w_1 = nn.Conv1d(d_model, d_ff, 1)
        self.w_2 = nn.Conv1d(d_ff, d_model, 1)
        self.norm_second = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm_first(self.dropout1(self.slf(x, mask)) + x)
        y = self.w_2(self.w_1(x.transpose(1, 2)).clamp(min=0.)).transpose(1, 2)
        return self.norm_second(self.dropout2(y) + x)
