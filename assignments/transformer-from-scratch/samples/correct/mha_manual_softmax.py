# correct  component: multi_head_attention
import torch as th
import torch.nn as nn

def my_softmax(s, keep):
    if keep is None:
        keep = th.ones_like(s, dtype=th.bool)
    top = s.masked_fill(~keep, float("-inf")).max(dim=-1, keepdim=True).values
    top = th.nan_to_num(top, neginf=0.0)
    e = th.exp((s - top).clamp(max=0)) * keep
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("cannot split")
        self.h = num_heads
        self.fc_query = nn.Linear(d_model, d_model)
        self.fc_value = nn.Linear(d_model, d_model)
        self.fc_key = nn.Linear(d_model, d_model)
        self.fc_out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        B, N, D = query.shape
        M = key.shape[1]
        w = D // self.h
        Q = self.fc_query(query).reshape(B, N, self.h, w)
        K = self.fc_key(key).reshape(B, M, self.h, w)
        V = self.fc_value(value).reshape(B, M, self.h, w)
        if mask is not None:
            shape = {2: (1, 1, N, M), 3: (-1, 1, N, M)}.get(mask.dim())
            if shape is not None:
                mask = mask.expand(*mask.shape[:-2], N, M).reshape(shape)
            mask = mask.expand(B, self.h, N, M)
        S = th.einsum("nqhd,nkhd->nhqk", Q, K) / w ** 0.5
        A = my_softmax(S, mask)
        return self.fc_out(th.einsum("nhqk,nkhd->nqhd", A, V).reshape(B, N, D))
