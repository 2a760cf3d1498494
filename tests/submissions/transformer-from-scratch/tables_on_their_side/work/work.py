import math
import numpy as np
import torch
from torch import nn, Tensor
import torch.nn.functional as F
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

class TokenEmbedding(nn.Module):

    def __init__(self, vocab: int, d_model: int, padding_idx: Optional[int]=None) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_model, vocab) / d_model ** 0.5)
        self.scale = float(np.sqrt(d_model))

    def forward(self, ids):
        return self.weight.T[ids] * self.scale

class LearnedPositionalEncoding(nn.Module):

    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(d_model, max_len))

    def forward(self, x):
        return x + self.table[:, :x.size(1)].T.unsqueeze(0)

class TiedOutput(nn.Module):

    def __init__(self, vocab, d_model):
        super().__init__()
        self.w = nn.Parameter(torch.randn(d_model, vocab))

    def forward(self, ids):
        return F.embedding(ids, self.w.t()) @ self.w
