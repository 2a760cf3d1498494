# misconception: dec-cross-query-skips-add-norm  component: decoder_layer
import torch
import torch.nn as nn


class MHA(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.n = num_heads
        self.query, self.key, self.value, self.final = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, mask=None):
        q, k, v = (torch.stack(f(t).chunk(self.n, 2), 1) for f, t in ((self.query, q), (self.key, k), (self.value, v)))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.final(torch.cat((s.softmax(-1) @ v).unbind(1), 2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.self_mha, self.cross_mha = MHA(d_model, num_heads), MHA(d_model, num_heads)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(3)])
        self.fc = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        attn_out = self.self_mha(x, x, x, tgt_mask)
        y = self.norms[0](x + self.dropout(attn_out))
        cross_out = self.cross_mha(attn_out, memory, memory, src_mask)
        z = self.norms[1](y + self.dropout(cross_out))
        return self.norms[2](z + self.dropout(self.fc(z)))
