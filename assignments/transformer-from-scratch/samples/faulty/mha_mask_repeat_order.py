# misconception: mha-mask-repeat-order  component: multi_head_attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.n_head = num_heads
        self.w_qs = nn.Linear(d_model, d_model, bias=False)
        self.w_ks = nn.Linear(d_model, d_model, bias=False)
        self.w_vs = nn.Linear(d_model, d_model, bias=False)
        self.fc = nn.Linear(d_model, d_model)

    def fold(self, x):
        b, n, d = x.shape
        x = x.view(b, n, self.n_head, d // self.n_head).permute(0, 2, 1, 3).contiguous()
        return x.view(b * self.n_head, n, d // self.n_head)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        m = key.size(1)
        q, k, v = self.fold(self.w_qs(query)), self.fold(self.w_ks(key)), self.fold(self.w_vs(value))
        attn = torch.bmm(q, k.transpose(1, 2)) / q.size(-1) ** 0.5
        if mask is not None:
            if mask.dim() == 4:
                mask = mask.expand(b, self.n_head, n, m).reshape(-1, n, m)
            else:
                if mask.dim() == 2:
                    mask = mask.unsqueeze(0).expand(b, n, m)
                mask = torch.cat([mask] * self.n_head, dim=0)      # one copy for every head
            attn = attn.masked_fill(~mask, float("-inf"))
        out = torch.bmm(attn.softmax(dim=2), v)
        out = out.view(b, self.n_head, n, -1).transpose(1, 2).reshape(b, n, d)
        return self.fc(out)
