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

def MultiHeadAttention(d_model, num_heads):
    return torch.jit.script(_MHA(d_model, num_heads))
