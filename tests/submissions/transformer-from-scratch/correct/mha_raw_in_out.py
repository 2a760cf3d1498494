# correct  component: multi_head_attention  style: raw parameters used as x @ W, no biases on q and k
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
        self.h = num_heads
        self.W_O = nn.Parameter(torch.empty(d_model, d_model))
        self.W_V = nn.Parameter(torch.empty(d_model, d_model))
        self.W_K = nn.Parameter(torch.empty(d_model, d_model))
        self.W_Q = nn.Parameter(torch.empty(d_model, d_model))
        self.b_V = nn.Parameter(torch.zeros(d_model))
        self.b_O = nn.Parameter(torch.zeros(d_model))
        for w in (self.W_O, self.W_V, self.W_K, self.W_Q):
            nn.init.xavier_uniform_(w)

    def forward(self, query, key, value, mask=None):
        split = lambda t: t.reshape(t.shape[0], t.shape[1], self.h, -1).swapaxes(1, 2)
        q, k, v = split(query @ self.W_Q), split(key @ self.W_K), split(value @ self.W_V + self.b_V)
        y = attend(q, k, v, mask).swapaxes(1, 2).reshape(query.shape)
        return y @ self.W_O + self.b_O
