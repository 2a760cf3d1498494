# correct  component: layer_norm  style: centred once, addcmul at the end
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.alpha, self.beta, self.eps = nn.Parameter(torch.ones(1, 1, d_model)), nn.Parameter(torch.zeros(1, 1, d_model)), eps

    def forward(self, x):
        flat = x.reshape(-1, 1, x.shape[-1])
        d = flat - flat.mean(2, keepdim=True)
        d = d / d.square().mean(2, keepdim=True).add(self.eps).sqrt()
        return torch.addcmul(self.beta, self.alpha, d).reshape(x.shape)
