# correct  component: add_norm  style: library norm and dropout
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(self.drop(sublayer(x)) + x)
