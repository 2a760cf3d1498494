# correct  component: decoder_layer
import torch
import torch.nn as nn
import math


class MHA(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads = n_heads
        self.query_proj = nn.Linear(d_model, d_model)
        self.key_proj = nn.Linear(d_model, d_model)
        self.value_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def _shape(self, t):
        return t.view(t.size(0), t.size(1), self.n_heads, t.size(2) // self.n_heads).permute(0, 2, 1, 3).contiguous()

    def forward(self, x_q, x_kv, mask=None):
        q = self._shape(self.query_proj(x_q))
        k = self._shape(self.key_proj(x_kv))
        v = self._shape(self.value_proj(x_kv))
        w = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(k.size(-1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            w = w.masked_fill(mask.logical_not(), float("-inf"))
        w = nn.functional.softmax(w, dim=-1)
        o = torch.matmul(w, v).permute(0, 2, 1, 3).contiguous()
        return self.out_proj(o.view(o.size(0), o.size(1), -1))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.self_attention = MHA(d_model, num_heads)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.cross_attention = MHA(d_model, num_heads)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layer_norm_3 = nn.LayerNorm(d_model)
        self.drop_1, self.drop_2, self.drop_3 = nn.Dropout(dropout), nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        _x = x
        x = self.self_attention(x, x, mask=tgt_mask)
        x = self.layer_norm_1(_x + self.drop_1(x))
        _x = x
        x = self.cross_attention(x, memory, mask=src_mask)
        x = self.layer_norm_2(_x + self.drop_2(x))
        _x = x
        x = self.ffn(x)
        x = self.layer_norm_3(_x + self.drop_3(x))
        return x
