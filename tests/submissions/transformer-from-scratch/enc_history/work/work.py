import copy
import math
import torch
from torch import nn, Tensor
from typing import Optional

class _MHA(nn.Module):

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('heads')
        self.h = num_heads
        self.dk = d_model // num_heads
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.o = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor]=None) -> Tensor:
        b, n, d = query.shape
        q = self.q(query).view(b, n, self.h, self.dk).transpose(1, 2)
        k = self.k(key).view(b, key.size(1), self.h, self.dk).transpose(1, 2)
        v = self.v(value).view(b, key.size(1), self.h, self.dk).transpose(1, 2)
        s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            s = s.masked_fill(~mask, float('-inf'))
        return self.o(torch.matmul(torch.softmax(s, dim=-1), v).transpose(1, 2).reshape(b, n, d))

class FFN(nn.Sequential):

    def __init__(self, d, f):
        super().__init__(nn.Linear(d, f), nn.ReLU(), nn.Linear(f, d))

class EncoderLayer(nn.Module):

    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.sub = nn.ModuleList([_MHA(d_model, num_heads), FFN(d_model, d_ff)])
        self.norm = nn.ModuleList([nn.LayerNorm(d_model) for _ in self.sub])
        self.drop = nn.ModuleList([nn.Dropout(dropout) for _ in self.sub])
        self.history = []

    def forward(self, x, mask=None):
        self.history.append(x.detach().mean().item())
        for i, (sub, norm, drop) in enumerate(zip(self.sub, self.norm, self.drop)):
            y = sub(x, x, x, mask) if i == 0 else sub(x)
            x = norm(x + drop(y))
        return x

class Encoder(nn.Module):

    def __init__(self, d_model, num_heads, num_layers, d_ff, dropout=0.0):
        super().__init__()
        layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            nn.init.kaiming_normal_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, x, mask=None):
        hidden = [x]
        for layer in self.layers:
            hidden.append(layer(hidden[-1], mask))
        return (hidden[-1], tuple(hidden))
