# faulty  component: layer_norm
# what: GroupNorm takes the positions for channels, and raises
import torch
from torch import nn
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.norm = nn.GroupNorm(1, d_model, eps=eps)
    def forward(self, x):
        return self.norm(x)
