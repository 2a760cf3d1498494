# correct  component: encoder_layer
import math
import torch
import torch.nn as nn


class EncoderLayer(nn.Module):
    """Everything in one class, no helper modules."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.nh = num_heads
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.o = nn.Linear(d_model, d_model)
        self.ln_a = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        self.ln_b = nn.LayerNorm(d_model)
        self.do = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, N, D = x.shape
        dk = D // self.nh
        q = self.q(x).view(B, N, self.nh, dk).transpose(1, 2)
        k = self.k(x).view(B, N, self.nh, dk).transpose(1, 2)
        v = self.v(x).view(B, N, self.nh, dk).transpose(1, 2)
        att = q @ k.transpose(2, 3) / math.sqrt(dk)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            att = att.masked_fill(~mask, -1e9)
        att = torch.softmax(att, dim=3)
        a = self.o((att @ v).transpose(1, 2).reshape(B, N, D))
        x = self.ln_a(x + self.do(a))
        f = self.down(torch.relu(self.up(x)))
        return self.ln_b(x + self.do(f))
