# misconception: dec-masks-swapped  component: decoder_layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.lin = h, nn.ModuleList([nn.Linear(d, d) for _ in range(4)])

    def forward(self, q, kv, mask):
        b, n, d = q.shape
        q, k, v = [l(t).view(b, -1, self.h, d // self.h).transpose(1, 2) for l, t in zip(self.lin, (q, kv, kv))]
        w = q @ k.transpose(2, 3) * (d // self.h) ** -0.5
        if mask is not None:
            w = w.masked_fill(~(mask if mask.dim() != 3 else mask.unsqueeze(1)), -1e9)
        return self.lin[3]((F.softmax(w, 3) @ v).transpose(1, 2).reshape(b, n, d))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.self_att, self.cross_att = Attention(d_model, num_heads), Attention(d_model, num_heads)
        self.l1, self.l2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.n1, self.n2, self.n3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.p = dropout

    def _block(self, x, memory, self_mask, cross_mask):
        d = lambda t: F.dropout(t, self.p, self.training)
        x = self.n1(x + d(self.self_att(x, x, self_mask)))
        x = self.n2(x + d(self.cross_att(x, memory, cross_mask)))
        return self.n3(x + d(self.l2(F.relu(self.l1(x)))))

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        return self._block(x, memory, src_mask, tgt_mask)
