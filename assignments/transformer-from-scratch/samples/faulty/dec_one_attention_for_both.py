# faulty  component: decoder_layer
# what: self-attention and cross-attention are the same module and share weights
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        b, n, d = x.shape
        s = lambda t: t.reshape(b, -1, self.h, d // self.h).transpose(1, 2)
        q, k, v = s(self.wq(x)), s(self.wk(y)), s(self.wv(y))
        a = q @ k.mT / (d // self.h) ** 0.5
        if mask is not None:
            a = a.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
        return self.wo((a.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attention = Attn(d_model, num_heads)
        self.l1, self.l2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.ln_a, self.ln_b, self.ln_c = (nn.LayerNorm(d_model) for _ in range(3))
        self.do = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.ln_a(x + self.do(self.attention(x, x, tgt_mask)))
        x = self.ln_b(x + self.do(self.attention(x, memory, src_mask)))
        return self.ln_c(x + self.do(self.l2(F.relu(self.l1(x)))))
