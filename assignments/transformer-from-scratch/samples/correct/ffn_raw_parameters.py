# correct  component: feed_forward
import math
import torch
from torch import nn


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        self.W1 = nn.Parameter(torch.randn(d_model, d_ff) / math.sqrt(d_model))
        self.b1 = nn.Parameter(torch.zeros(1, 1, d_ff))
        self.W2 = nn.Parameter(torch.randn(d_ff, d_model) / math.sqrt(d_ff))
        self.b2 = nn.Parameter(torch.zeros(1, 1, d_model))
        self.p = dropout

    def forward(self, x):
        hidden = torch.maximum(x @ self.W1 + self.b1, torch.zeros((), dtype=x.dtype, device=x.device))
        hidden = nn.functional.dropout(hidden, self.p, self.training)
        return hidden @ self.W2 + self.b2
