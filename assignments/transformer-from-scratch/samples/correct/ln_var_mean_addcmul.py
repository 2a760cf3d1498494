# correct  component: layer_norm
import torch
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.shift = nn.Parameter(torch.zeros((d_model,)))
        self.gain = nn.Parameter(torch.ones((d_model,)))

    def forward(self, x):
        v, m = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.shift, self.gain, (x - m) * torch.rsqrt(v + self.eps))
