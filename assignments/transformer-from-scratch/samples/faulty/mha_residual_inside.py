# faulty  component: multi_head_attention
# what: adds the query to the result (a residual inside the attention module)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.n_head = num_heads
        self.w_qs = nn.Linear(d_model, d_model, bias=False)
        self.w_ks = nn.Linear(d_model, d_model, bias=False)
        self.w_vs = nn.Linear(d_model, d_model, bias=False)
        self.fc = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        residual = query
        q, k, v = (w(t).unflatten(-1, (self.n_head, -1)).transpose(1, 2)
                   for w, t in ((self.w_qs, query), (self.w_ks, key), (self.w_vs, value)))
        attn = torch.matmul(q / q.size(-1) ** 0.5, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill((mask.unsqueeze(1) if mask.dim() == 3 else mask) == 0, -1e9)
        out = torch.matmul(attn.softmax(-1), v).transpose(1, 2).flatten(2)
        out = self.fc(out)
        out += residual
        return out
