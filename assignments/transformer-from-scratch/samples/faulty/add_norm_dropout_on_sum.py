# faulty  component: add_norm
# what: drops the sum of residual and sublayer instead of the sublayer's output alone
from torch import nn

class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.ln = nn.LayerNorm(d_model)
        self.do = nn.Dropout(dropout)
    def forward(self, x, sublayer):
        return self.ln(self.do(x + sublayer(x)))
