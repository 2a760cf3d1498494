# correct  component: feed_forward  style: raw parameters in both orientations, second layer declared first
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.down = nn.Parameter(torch.randn(d_model, d_ff) * d_ff**-0.5)
        self.up = nn.Parameter(torch.randn(d_model, d_ff) * d_model**-0.5)
        self.shift = nn.Parameter(torch.zeros(d_ff))
        self.rate = dropout

    def forward(self, x):
        hidden = (torch.einsum("...d,df->...f", x, self.up) + self.shift).clamp_min(0)
        return F.dropout(hidden, self.rate, self.training) @ self.down.T
