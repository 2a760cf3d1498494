# correct  component: add_norm  style: everything written out
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.gain, self.shift, self.p = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), dropout

    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.training and self.p > 0:
            y = y * (torch.rand_like(y) > self.p) / (1 - self.p)
        y = x + y
        y = (y - y.mean(-1, keepdim=True)) * torch.rsqrt(y.var(-1, unbiased=False, keepdim=True) + 1e-6)
        return y * self.gain + self.shift
