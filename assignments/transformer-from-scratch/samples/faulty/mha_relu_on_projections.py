# misconception: mha-relu-on-projections  component: multi_head_attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("`num_heads` must divide `d_model`")
        self.heads = num_heads
        self.q_layer = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())
        self.k_layer = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())
        self.v_layer = nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())
        self.o_layer = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = torch.stack(self.q_layer(query).chunk(self.heads, -1), 1)
        k = torch.stack(self.k_layer(key).chunk(self.heads, -1), 1)
        v = torch.stack(self.v_layer(value).chunk(self.heads, -1), 1)
        s = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill((mask[:, None] if mask.ndim == 3 else mask) == 0, -1e12)
        return self.o_layer(torch.cat((s.softmax(-1) @ v).unbind(1), -1))
