# correct  component: multi_head_attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super(MultiHeadAttention, self).__init__()
        if d_model % num_heads != 0:
            raise ValueError('d_model has to be a multiple of num_heads')
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def fold(self, X):
        # (batch, n, d) -> (batch * heads, n, d / heads)
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def unfold(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, query, key, value, mask=None):
        b, n, m = query.shape[0], query.shape[1], key.shape[1]
        q, k, v = self.fold(self.W_q(query)), self.fold(self.W_k(key)), self.fold(self.W_v(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(0).expand(b, n, m)
            if mask.dim() == 3:
                mask = torch.repeat_interleave(mask.expand(b, n, m), self.num_heads, dim=0)
            else:
                mask = mask.expand(b, self.num_heads, n, m).reshape(b * self.num_heads, n, m)
            scores[~mask] = -1e6 * 1e6
        w = nn.functional.softmax(scores, dim=-1)
        return self.W_o(self.unfold(torch.bmm(w, v)))
