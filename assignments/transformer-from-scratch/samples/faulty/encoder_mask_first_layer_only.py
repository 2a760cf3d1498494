# faulty  component: encoder
# what: only the first layer gets the mask
import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.h, self.p = h, p
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d) for _ in range(4))
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, f), nn.Linear(f, d)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = (w(x).view(b, n, self.h, d // self.h).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        s = q @ k.mT / (d // self.h) ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        a = self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))
        x = self.ln1(x + F.dropout(a, self.p, self.training))
        return self.ln2(x + F.dropout(self.down(F.relu(self.up(x))), self.p, self.training))


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))

    def forward(self, x, mask=None):
        x = self.blocks[0](x, mask)
        for block in self.blocks[1:]:
            x = block(x)
        return x
