# misconception: ln-over-all-but-batch  component: layer_norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        dims = tuple(range(1, x.dim())) or (0,)
        mu = x.mean(dim=dims, keepdim=True)
        sq = ((x - mu) ** 2).mean(dim=dims, keepdim=True)
        return (x - mu) / torch.sqrt(sq + self.eps) * self.g + self.b
