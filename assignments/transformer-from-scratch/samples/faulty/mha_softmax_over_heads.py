# faulty  component: multi_head_attention
# what: the softmax runs over the head axis
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("heads")
        self.num_heads = num_heads
        self.q_map, self.k_map, self.v_map, self.o_map = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (torch.stack(t.chunk(self.num_heads, -1), dim=1)
                   for t in (self.q_map(query), self.k_map(key), self.v_map(value)))
        e = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            e = e.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
        a = torch.softmax(e, dim=1)
        return self.o_map(torch.cat((a @ v).unbind(1), dim=-1))
