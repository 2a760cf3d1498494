# correct  component: feed_forward  style: the ReLU as a product with a comparison
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.fc = nn.ModuleDict({"out": nn.Linear(d_ff, d_model), "in": nn.Linear(d_model, d_ff)})
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = self.fc["in"](x)
        return self.drop(self.fc["out"](h * (h > 0)))
