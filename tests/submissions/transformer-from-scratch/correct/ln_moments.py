# correct  component: layer_norm  style: mean of squares minus square of the mean, in float64
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.scale, self.offset, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        y = x.double()
        mean = y.mean(-1, keepdim=True)
        var = (y**2).mean(-1, keepdim=True) - mean**2
        return (self.offset + self.scale * ((y - mean) / torch.sqrt(var.clamp_min(0) + self.eps))).to(x.dtype)
