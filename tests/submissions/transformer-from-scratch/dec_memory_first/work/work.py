import math
from torch import nn

class Attn(nn.Module):

    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.q, x), (self.k, y), (self.v, y)))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1000000000.0)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

class DecoderLayer(nn.Module):
    """projects memory to keys and values before anything else, caches them"""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.mem_kv = nn.Linear(d_model, 2 * d_model)
        self.mem_q, self.mem_o = (nn.Linear(d_model, d_model), nn.Linear(d_model, d_model))
        self.self_attn = Attn(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm = nn.ModuleList((nn.LayerNorm(d_model) for _ in range(3)))
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        split = lambda t: t.unflatten(-1, (self.h, -1)).transpose(1, 2)
        k, v = map(split, self.mem_kv(memory).chunk(2, -1))
        x = self.norm[0](x + self.drop(self.self_attn(x, x, tgt_mask)))
        q = split(self.mem_q(x))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if src_mask is not None:
            s = s.masked_fill(~(src_mask[:, None] if src_mask.dim() == 3 else src_mask), -1000000000.0)
        c = self.mem_o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        x = self.norm[1](x + self.drop(c))
        return self.norm[2](x + self.drop(self.ff(x)))
