# faulty  component: layer_norm
# what: divides by the standard deviation and never subtracts the mean
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        std = (x.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
        return self.weight * (x / std) + self.bias
