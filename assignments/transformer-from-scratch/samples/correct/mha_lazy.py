# correct  component: multi_head_attention
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0: raise ValueError("heads")
        self.num_heads = num_heads
        self.W_q = nn.LazyLinear(d_model)
        self.W_k = nn.LazyLinear(d_model)
        self.W_v = nn.LazyLinear(d_model)
        self.W_o = nn.LazyLinear(d_model)
        self.attention_weights = None

    def forward(self, query, key, value, mask=None):
        q, k, v = [w(x).reshape(x.shape[0], x.shape[1], self.num_heads, -1).transpose(1, 2)
                   for w, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))]
        s = torch.matmul(q, k.mT) / q.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 3: mask = mask[:, None]
            s = torch.where(mask, s, torch.full_like(s, -1e30))
        self.attention_weights = torch.softmax(s, -1)
        o = torch.matmul(self.attention_weights, v)
        return self.W_o(o.transpose(1, 2).reshape(o.shape[0], o.shape[2], -1))
