import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    __constants__ = ["p"]
    p: float

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super(PositionwiseFeedForward, self).__init__()
        self.p = dropout
        self.layers = nn.ModuleList([nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)])

    def forward(self, *inputs):
        (x,) = inputs
        up, down = self.layers
        return down(nn.functional.dropout(up(x).relu_(), p=self.p, training=self.training))
