# correct  component: decoder
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.w_k = nn.Linear(d, d)
        self.w_v = nn.Linear(d, d)
        self.w_q = nn.Linear(d, d)
        self.w_o = nn.Linear(d, d)

    def forward(self, q, kv, mask):
        b = q.shape[0]
        Q = self.w_q(q).reshape(b, q.shape[1], self.h, -1).transpose(1, 2)
        K = self.w_k(kv).reshape(b, kv.shape[1], self.h, -1).transpose(1, 2)
        V = self.w_v(kv).reshape(b, kv.shape[1], self.h, -1).transpose(1, 2)
        s = Q.matmul(K.transpose(2, 3)).div(Q.shape[-1] ** 0.5)
        if mask is not None:
            s = s.masked_fill(torch.logical_not(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.w_o(s.softmax(-1).matmul(V).transpose(1, 2).reshape(b, q.shape[1], -1))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.self_attn = Attention(d_model, num_heads)
        self.norm1 = nn.LayerNorm(d_model)
        self.src_attn = Attention(d_model, num_heads)
        self.norm2 = nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm3 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.norm1(x + self.drop(self.self_attn(x, x, tgt_mask)))
        x = self.norm2(x + self.drop(self.src_attn(x, memory, src_mask)))
        return self.norm3(x + self.drop(self.ffn(x)))


class Decoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        return x
