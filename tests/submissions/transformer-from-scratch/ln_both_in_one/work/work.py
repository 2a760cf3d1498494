import torch
from torch import nn

class LayerNorm(nn.Module):

    def __init__(self, d_model, eps=1e-05):
        super().__init__()
        self.affine = nn.Parameter(torch.stack([torch.ones(d_model), torch.zeros(d_model)]))
        self.eps = eps

    def forward(self, x):
        y = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + self.eps)
        return self.affine[0] * y + self.affine[1]
