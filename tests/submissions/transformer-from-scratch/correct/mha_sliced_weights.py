# correct  component: multi_head_attention  style: slices of one weight in a loop over heads
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.n_heads, self.d_head = num_heads, d_model // num_heads
        self.query_layer, self.key_layer = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.value_layer, self.output_layer = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, q, k, v, mask=None):
        total = self.output_layer.bias.expand(q.shape[0], q.shape[1], -1)
        for i in range(self.n_heads):
            rows = slice(i * self.d_head, (i + 1) * self.d_head)
            part = lambda layer, x: F.linear(x, layer.weight[rows], layer.bias[rows])
            s = part(self.query_layer, q) @ part(self.key_layer, k).transpose(1, 2) / self.d_head**0.5
            if mask is not None:
                m = mask if mask.dim() < 4 else mask[:, min(i, mask.size(1) - 1)]
                s = s.masked_fill(~m, float("-inf"))
            y = self.drop(s.softmax(-1)) @ part(self.value_layer, v)
            total = total + y @ self.output_layer.weight[:, rows].T
        return total
