# correct  component: multi_head_attention
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.h = num_heads
        self.dk = d_model // num_heads
        for n in "qkvo":
            w = nn.Parameter(torch.empty(d_model, d_model))
            nn.init.kaiming_uniform_(w, a=math.sqrt(5))
            self.register_parameter("weight_" + n, w)
            self.register_parameter("bias_" + n, nn.Parameter(torch.zeros(d_model)))

    def project(self, n, x):
        return F.linear(x, getattr(self, "weight_" + n), getattr(self, "bias_" + n))

    def forward(self, query, key, value, mask=None):
        B = query.shape[0]
        q = self.project("q", query).reshape(B, -1, self.h, self.dk).permute(0, 2, 1, 3)
        kT = self.project("k", key).reshape(B, -1, self.h, self.dk).permute(0, 2, 3, 1)
        v = self.project("v", value).reshape(B, -1, self.h, self.dk).permute(0, 2, 1, 3)
        s = q / math.sqrt(self.dk) @ kT
        if mask is not None:
            if len(mask.shape) == 3:
                mask = mask.reshape(mask.shape[0], 1, *mask.shape[1:])
            s = s.masked_fill(~mask, -math.inf)
        ctx = s.softmax(-1) @ v
        ctx = ctx.permute(0, 2, 1, 3).flatten(-2)
        return self.project("o", ctx)
