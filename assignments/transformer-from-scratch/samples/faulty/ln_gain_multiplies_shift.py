# faulty  component: layer_norm
# what: adds the shift before multiplying with the gain
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        c = x - x.mean(-1, keepdim=True)
        n = c * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.gamma * (n + self.beta)
