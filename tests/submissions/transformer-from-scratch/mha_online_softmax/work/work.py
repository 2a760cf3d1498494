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
        mx = torch.full((b, self.h, n, 1), -1e+30, dtype=q.dtype, device=q.device)
        den = torch.zeros_like(mx)
        num = torch.zeros_like(q)
        for j in range(m):
            s = (q * k[:, :, j:j + 1]).sum(-1, keepdim=True) / math.sqrt(self.dk)
            if mask is not None:
                s = s.masked_fill(~mask[..., j:j + 1], -1e+30) if mask.shape[-1] > 1 else s.masked_fill(~mask, -1e+30)
            new = torch.maximum(mx, s)
            a, e = (torch.exp(mx - new), torch.exp(s - new))
            den = den * a + e
            num = num * a + e * v[:, :, j:j + 1]
            mx = new
        x = num / den
        return self.wo(x.transpose(1, 2).reshape(b, n, self.d))
