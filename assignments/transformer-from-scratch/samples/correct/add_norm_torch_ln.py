# correct  component: add_norm
import torch.nn as nn


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        residual = x
        out = self.dropout(sublayer(x))
        return self.norm(residual + out)
