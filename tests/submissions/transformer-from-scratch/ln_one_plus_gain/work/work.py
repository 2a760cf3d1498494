import torch
from torch import nn

class LayerNorm(nn.Module):

    def __init__(self, d_model, eps=1e-05):
        super().__init__()
        self.g = nn.Parameter(torch.zeros(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        y = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, False, keepdim=True) + self.eps)
        return y * (1 + self.g) + self.b
