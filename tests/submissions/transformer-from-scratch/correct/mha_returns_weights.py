# correct  component: multi_head_attention  style: returns the weights as well; columns of heads interleaved
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.h = num_heads
        self.wq, self.wk, self.wv = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(x).unflatten(-1, (-1, self.h)).permute(0, 3, 1, 2) for f, x in ((self.wq, query), (self.wk, key), (self.wv, value)))
        s = q @ k.mT
        s = s / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s + torch.zeros_like(s).masked_fill_(~(mask if mask.dim() != 3 else mask[:, None]), -1e9)
        p = torch.exp(s - torch.logsumexp(s, -1, keepdim=True))
        return self.wo((p @ v).permute(0, 2, 3, 1).flatten(2)), p
