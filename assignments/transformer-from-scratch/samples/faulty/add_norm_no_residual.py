# faulty  component: add_norm
# what: forgets to add x
import torch.nn as nn


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.norm, self.drop = nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        out = sublayer(x)
        out = self.drop(out)
        return self.norm(out)
