# misconception: dec-ffn-before-cross  component: decoder_layer
import torch
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = Heads(d_model, num_heads)
        self.norm_attn = nn.LayerNorm(d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm_ff = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm_attn(x + self.drop(self.attn(x, x, mask)))
        return self.norm_ff(x + self.drop(self.down(torch.relu(self.up(x)))))


class Heads(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (w(t).unflatten(-1, (self.h, -1)) for w, t in ((self.w_q, x), (self.w_k, y), (self.w_v, y)))
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.w_o(torch.einsum("bhnm,bmhd->bnhd", s.softmax(-1), v).flatten(2))


class DecoderLayer(nn.Module):
    """an encoder layer plus cross-attention"""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.first = EncoderLayer(d_model, num_heads, d_ff, dropout)
        self.cross = Heads(d_model, num_heads)
        self.norm_cross = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.first(x, tgt_mask)
        return self.norm_cross(x + self.drop(self.cross(x, memory, src_mask)))
