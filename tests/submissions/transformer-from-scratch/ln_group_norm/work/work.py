import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.n = nn.GroupNorm(1, d_model, eps=eps)

    def forward(self, x):
        return self.n(x.reshape(-1, x.shape[-1])).reshape(x.shape)
