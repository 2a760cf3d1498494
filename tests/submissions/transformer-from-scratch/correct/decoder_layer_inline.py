# correct  component: decoder_layer  style: one class with all layers inline, fused self-attention, no biases
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.self_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.self_out = nn.Linear(d_model, d_model, bias=False)
        self.cross_q = nn.Linear(d_model, d_model, bias=False)
        self.cross_k = nn.Linear(d_model, d_model, bias=False)
        self.cross_v = nn.Linear(d_model, d_model, bias=False)
        self.cross_out = nn.Linear(d_model, d_model, bias=False)
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.ln1, self.ln2, self.ln3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def attend(self, q, k, v, mask):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (q, k, v))
        s = q @ k.mT / math.sqrt(q.size(-1))
        s = s if mask is None else s.masked_fill(mask.logical_not(), torch.finfo(s.dtype).min)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        keys, values = self.cross_k(memory), self.cross_v(memory)
        x = self.ln1(x + self.drop(self.self_out(self.attend(*self.self_qkv(x).chunk(3, -1), tgt_mask))))
        x = self.ln2(x + self.drop(self.cross_out(self.attend(self.cross_q(x), keys, values, src_mask))))
        return self.ln3(x + self.drop(self.fc2(F.relu(self.fc1(x)))))
