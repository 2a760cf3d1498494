import math
import torch
import torch.nn as nn

class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('num_heads must divide d_model')
        self.h, self.dk, self.d = (num_heads, d_model // num_heads, d_model)
        self.w = nn.Parameter(torch.randn(3, num_heads, d_model, self.dk) / d_model ** 0.5)
        self.o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        b, n, _ = query.shape
        if mask is None:
            mask = torch.ones(n, key.shape[1], dtype=torch.bool, device=query.device)
        mask = mask[:, None] if mask.dim() == 3 else mask
        mask = mask.expand(b, self.h, n, key.shape[1])

        def head(wq, wk, wv, m):
            s = query @ wq @ (key @ wk).mT / math.sqrt(self.dk)
            return s.masked_fill(~m, -1000000000.0).softmax(-1) @ (value @ wv)
        heads = torch.vmap(head, in_dims=(0, 0, 0, 1), out_dims=2)(self.w[0], self.w[1], self.w[2], mask)
        return self.o(heads.flatten(2))
