import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.w1 = nn.Parameter(torch.empty(d_ff, d_model).normal_(0, 0.02))
        self.w2 = nn.Parameter(torch.empty(d_model, d_ff).normal_(0, 0.02))
        self.b1, self.b2 = nn.Parameter(torch.zeros(d_ff)), nn.Parameter(torch.zeros(d_model))
        self.p = dropout

    def forward(self, x):
        h = F.relu(F.linear(x, self.w1, self.b1))
        return F.linear(F.dropout(h, self.p, self.training), self.w2, self.b2)
