# correct  component: multi_head_attention  style: lazy layers declared in the order v, k, q
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
    return scores.softmax(-1) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.num_heads = num_heads
        self.values, self.keys, self.queries, self.mix = (nn.LazyLinear(d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        k, v, q = (layer(x).unflatten(2, (self.num_heads, -1)).movedim(2, 1)
                   for layer, x in ((self.keys, key), (self.values, value), (self.queries, query)))
        return self.mix(attend(q, k, v, mask).movedim(1, 2).flatten(2))
