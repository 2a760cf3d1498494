# correct  component: multi_head_attention  style: raw parameters in torch's orientation, finfo fill
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        self.num_heads = num_heads
        for letter in "qkvo":
            self.register_parameter(f"weight_{letter}", nn.Parameter(torch.randn(d_model, d_model) / math.sqrt(d_model)))
            self.register_parameter(f"bias_{letter}", nn.Parameter(torch.zeros(d_model)))

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        h, w = self.num_heads, d // self.num_heads
        q = F.linear(query, self.weight_q, self.bias_q).view(b, n, h, w).transpose(1, 2)
        k = F.linear(key, self.weight_k, self.bias_k).view(b, -1, h, w).transpose(1, 2)
        v = F.linear(value, self.weight_v, self.bias_v).view(b, -1, h, w).transpose(1, 2)
        s = torch.matmul(q * w**-0.5, k.transpose(-1, -2))
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
            s = torch.where(mask, s, torch.full_like(s, torch.finfo(s.dtype).min))
        y = torch.matmul(torch.softmax(s, -1), v)
        return F.linear(y.transpose(1, 2).contiguous().view(b, n, d), self.weight_o, self.bias_o)
