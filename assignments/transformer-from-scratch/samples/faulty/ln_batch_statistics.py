# misconception: ln-batch-statistics  component: layer_norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    """normalise over the tokens of the batch"""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d_model))
        self.shift = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        m = flat.mean(dim=0)
        v = flat.var(dim=0, unbiased=False)
        y = (flat - m) * torch.rsqrt(v + self.eps)
        return (y * self.scale + self.shift).reshape(x.shape)
