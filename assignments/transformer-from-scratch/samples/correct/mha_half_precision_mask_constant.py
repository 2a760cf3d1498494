# correct  component: multi_head_attention  (a note at most)
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.h = num_heads
        self.qkv = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
        self.out = nn.Linear(d_model, d_model)
        self.register_buffer("neg", torch.tensor(-1e20), persistent=False)

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in zip(self.qkv, (query, key, value)))
        dots = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            dots.masked_fill_(~mask, -1e20)
        return self.out((dots.softmax(-1) @ v).transpose(1, 2).flatten(2))
