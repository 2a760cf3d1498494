# correct  component: layer_norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, 1, d_model).squeeze())
        self.beta = nn.Parameter(torch.zeros(1, 1, d_model).squeeze())
        self.d = d_model
        self.eps = eps

    def forward(self, x):
        # sum by hand to be sure that it is divided by d and not d-1
        mu = x.sum(dim=-1) / self.d
        c = x - mu.unsqueeze(-1)
        sigma = ((c ** 2).sum(dim=-1) / self.d + self.eps) ** 0.5
        return c / sigma.unsqueeze(-1) * self.gamma + self.beta
