import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        residual = x
        out = sublayer(x)
        out = out[0] if isinstance(out, tuple) else out
        return self.norm(residual + self.dropout(out))
