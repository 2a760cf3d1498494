# correct  component: layer_norm  style: one group of GroupNorm
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        return F.group_norm(flat, 1, self.weight, self.bias, self.eps).view_as(x)
