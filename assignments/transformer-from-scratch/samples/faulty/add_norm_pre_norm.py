# faulty  component: add_norm
# what: pre-norm, x + dropout(sublayer(norm(x)))
import torch.nn as nn


class AddNorm(nn.Module):
    """A residual connection around a layer norm (norm first, for code simplicity)."""

    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))
