# correct  component: decoder_layer
# cross-attention first declared, self-attention comes from the encoder layer by inheritance
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.proj = nn.ModuleDict({n: nn.Linear(d, d) for n in ("o", "v", "k", "q")})

    def forward(self, target, source, mask=None):
        q, k, v = self.proj["q"](target), self.proj["k"](source), self.proj["v"](source)
        q, k, v = (torch.stack(t.tensor_split(self.h, dim=-1), 1) for t in (q, k, v))
        s = (q / q.shape[-1] ** 0.5) @ k.transpose(-1, -2)
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), torch.finfo(s.dtype).min)
        return self.proj["o"](torch.cat(tuple((s.softmax(-1) @ v).unbind(1)), -1))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = Attn(d_model, num_heads)
        self.attn_norm = nn.LayerNorm(d_model)
        self.ff_norm = nn.LayerNorm(d_model)
        self.ff_in, self.ff_out = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def attention_block(self, x, mask):
        return self.attn_norm(x + self.dropout(self.attn(x, x, mask)))

    def ff_block(self, x):
        return self.ff_norm(x + self.dropout(self.ff_out(torch.relu(self.ff_in(x)))))

    def forward(self, x, mask=None):
        return self.ff_block(self.attention_block(x, mask))


class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__(d_model, num_heads, d_ff, dropout)
        self.cross = Attn(d_model, num_heads)
        self.cross_norm = nn.LayerNorm(d_model)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.attention_block(x, tgt_mask)
        x = self.cross_norm(x + self.dropout(self.cross(x, memory, src_mask)))
        return self.ff_block(x)
