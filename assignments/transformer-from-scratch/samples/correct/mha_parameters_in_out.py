# correct  component: multi_head_attention
import torch
from torch.nn import Module, Parameter
from torch.nn.init import xavier_normal_


class MultiHeadAttention(Module):
    def __init__(self, d_model, num_heads):
        Module.__init__(self)
        if d_model % num_heads:
            raise ValueError
        self.heads, self.width = num_heads, d_model // num_heads
        # as in the paper: x W, no biases
        self.W_K = Parameter(xavier_normal_(torch.empty(d_model, d_model)))
        self.W_Q = Parameter(xavier_normal_(torch.empty(d_model, d_model)))
        self.W_V = Parameter(xavier_normal_(torch.empty(d_model, d_model)))
        self.W_O = Parameter(xavier_normal_(torch.empty(d_model, d_model)))

    def forward(self, query, key, value, mask=None):
        def split(t):
            return t.unflatten(-1, (self.heads, self.width))
        q, k, v = split(query @ self.W_Q), split(key @ self.W_K), split(value @ self.W_V)
        e = torch.einsum("bihd,bjhd->bhij", q, k).mul(self.width ** -0.5)
        if mask is not None:
            mask = mask.unsqueeze(-3) if mask.dim() == 3 else mask
            e = torch.where(mask, e, torch.finfo(e.dtype).min)
        a = e.softmax(3)
        return torch.einsum("bhij,bjhd->bihd", a, v).flatten(2) @ self.W_O
