# correct  component: multi_head_attention  style: 1x1 convolutions
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.h = num_heads
        self.conv_q, self.conv_k, self.conv_v, self.conv_o = (nn.Conv1d(d_model, d_model, 1) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        q, k, v = (c(x.transpose(1, 2)).view(b, self.h, d // self.h, -1) for c, x in ((self.conv_q, query), (self.conv_k, key), (self.conv_v, value)))
        s = torch.einsum("bhdn,bhdm->bhnm", q, k) / math.sqrt(q.shape[2])
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        y = torch.einsum("bhnm,bhdm->bhdn", s.softmax(-1), v).reshape(b, d, n)
        return self.conv_o(y).transpose(1, 2)
