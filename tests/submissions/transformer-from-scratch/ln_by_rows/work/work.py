import torch
from torch import nn

class LayerNorm(nn.Module):

    def __init__(self, d_model, eps=1e-05):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        out = torch.empty_like(x)
        flat, res = (x.reshape(-1, x.shape[-1]), [])
        for row in flat:
            m = sum(row) / len(row)
            v = sum((row - m) ** 2) / len(row)
            res.append((row - m) / (v + self.eps) ** 0.5 * self.g + self.b)
        return torch.stack(res).reshape(x.shape)
