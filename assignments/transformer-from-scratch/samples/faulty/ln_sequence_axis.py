# faulty  component: layer_norm
# what: normalises over axis 1 (the positions of a batch) instead of the features
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))
    def forward(self, x):
        axis = min(1, x.dim() - 1)
        v, m = torch.var_mean(x, dim=axis, correction=0, keepdim=True)
        return (x - m) / (v + self.eps).sqrt() * self.g + self.b
