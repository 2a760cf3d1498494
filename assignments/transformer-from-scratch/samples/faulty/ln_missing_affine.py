# misconception: ln-missing-affine  component: layer_norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = torch.ones(1)     # scale 1
        self.beta = torch.zeros(1)     # shift 0

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        sd = torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        return self.gamma.to(x) * centred / sd + self.beta.to(x)
