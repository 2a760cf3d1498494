# correct  component: layer_norm  style: F.layer_norm with parameters of its own, shift declared first
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(d_model))
        self.g = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, self.g.shape, self.g, self.b, self.eps)
