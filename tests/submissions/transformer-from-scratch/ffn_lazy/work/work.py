import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(nn.LazyLinear(d_ff), nn.ReLU(), nn.Dropout(dropout), nn.LazyLinear(d_model))

    def forward(self, x):
        return self.net(x)
