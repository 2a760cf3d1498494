# correct  component: multi_head_attention  (a note at most)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """head j = every num_heads-th feature starting at j"""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.h = num_heads
        self.lin_q = nn.Linear(d_model, d_model)
        self.lin_k = nn.Linear(d_model, d_model)
        self.lin_v = nn.Linear(d_model, d_model)
        self.lin_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        Q, K, V = self.lin_q(query), self.lin_k(key), self.lin_v(value)
        out = torch.zeros_like(Q)
        for j in range(self.h):
            q, k, v = Q[..., j::self.h], K[..., j::self.h], V[..., j::self.h]
            s = torch.bmm(q, k.mT) / q.size(-1) ** 0.5
            if mask is not None:
                m = mask
                if m.dim() == 4:
                    m = m[:, j if m.size(1) > 1 else 0]
                s = s.masked_fill(~m, -1e9)
            out[..., j::self.h] = torch.bmm(torch.softmax(s, dim=-1), v)
        return self.lin_o(out)
