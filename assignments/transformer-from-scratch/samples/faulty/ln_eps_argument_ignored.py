# faulty  component: layer_norm
# what: accepts eps and uses 1e-5 whatever is passed
import torch
import torch.nn as nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d_model))
        self.offset = nn.Parameter(torch.zeros(d_model))

    def forward(self, x, eps=1e-5):
        mu = x.mean(-1, keepdim=True)
        var = (x - mu).square().mean(-1, keepdim=True)
        return self.scale * (x - mu) / torch.sqrt(var + eps) + self.offset
