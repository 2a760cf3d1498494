# misconception: mha-value-uses-key-projection  component: multi_head_attention
import math
import torch
from torch import nn

def fold(t, h):
    b, n, d = t.shape
    return t.view(b, n, h, d // h).transpose(1, 2).reshape(b * h, n, d // h)

def unfold(t, h):
    bh, n, c = t.shape
    return t.view(bh // h, h, n, c).transpose(1, 2).reshape(bh // h, n, h * c)

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.num = num_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.merge = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        d = query.size(-1)
        wk, wv = self.to_kv.weight.split(d)
        q = fold(self.to_q(query), self.num)
        k = fold(key @ wk.T, self.num)
        v = fold(value @ wk.T, self.num)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(k.size(-1))
        if mask is not None:
            if mask.dim() == 4:
                m = mask.expand(query.size(0), self.num, q.size(1), k.size(1)).reshape(scores.shape)
            else:
                m = mask.expand(query.size(0), q.size(1), k.size(1)).repeat_interleave(self.num, 0)
            scores = scores.masked_fill(~m, -1e9 if scores.dtype != torch.half else -6e4)
        weights = torch.softmax(scores, 2)
        return self.merge(unfold(torch.bmm(weights, v), self.num))
