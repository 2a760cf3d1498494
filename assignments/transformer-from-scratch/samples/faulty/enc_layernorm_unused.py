# misconception: enc-layernorm-unused  component: encoder_layer
import torch
import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, x, mask):
        h = self.num_heads
        q, k, v = (torch.stack(w(x).chunk(h, -1), 1) for w in (self.wq, self.wk, self.wv))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = torch.where(mask[:, None] if mask.dim() == 3 else mask, s, -1e9)
        return self.wo(torch.cat((s.softmax(-1) @ v).unbind(1), -1))

    def forward(self, x, mask=None):
        x = self.norm1(x + self.drop(self.attend(x, mask)))
        out = x + self.drop(self.down(self.up(x).relu()))
        return out
