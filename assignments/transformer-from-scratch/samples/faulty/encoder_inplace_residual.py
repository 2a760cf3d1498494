# misconception: encoder-inplace-residual  component: encoder_layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.q_lin = nn.Linear(d_model, d_model)
        self.k_lin = nn.Linear(d_model, d_model)
        self.v_lin = nn.Linear(d_model, d_model)
        self.o_lin = nn.Linear(d_model, d_model)
        self.ln_1 = nn.LayerNorm(d_model)
        self.ln_2 = nn.LayerNorm(d_model)
        self.fc = nn.Linear(d_model, d_ff)
        self.proj = nn.Linear(d_ff, d_model)
        self.p = dropout

    def self_attention(self, x, mask):
        q, k, v = (f(x).unflatten(2, (self.h, -1)).transpose(1, 2) for f in (self.q_lin, self.k_lin, self.v_lin))
        w = q.matmul(k.transpose(-1, -2)) / q.size(-1) ** 0.5
        if mask is not None:
            w = w.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e10)
        return self.o_lin(w.softmax(-1).matmul(v).transpose(1, 2).flatten(2))

    def forward(self, x, mask=None):
        a = self.self_attention(x, mask)
        x.add_(F.dropout(a, self.p, self.training))     # saves memory
        x = self.ln_1(x)
        x = x + F.dropout(self.proj(F.relu(self.fc(x))), self.p, self.training)
        return self.ln_2(x)
