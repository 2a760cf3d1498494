import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.g, self.b, self.e = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        return self.g * (x - m) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + self.e) + self.b
