import math
import torch
import torch.nn as nn

class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('num_heads must divide d_model')
        self.h, self.dk, self.d = (num_heads, d_model // num_heads, d_model)
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        b, n, _ = query.shape
        m = key.shape[1]
        q = self.wq(query).view(b, n, self.h, self.dk).transpose(1, 2)
        k = self.wk(key).view(b, m, self.h, self.dk).transpose(1, 2)
        v = self.wv(value).view(b, m, self.h, self.dk).transpose(1, 2)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)

        def one(q, k, v, m):
            s = q @ k.T / math.sqrt(self.dk)
            s = torch.where(m, s, float('-inf'))
            return torch.softmax(s, -1) @ v
        if mask is None:
            mask = torch.ones(n, m, dtype=torch.bool, device=query.device)
        mask = mask.expand(b, self.h, n, m)
        x = torch.vmap(torch.vmap(one))(q, k, v, mask)
        return self.wo(x.transpose(1, 2).reshape(b, n, self.d))
