# faulty  component: feed_forward
# what: the second bias is declared and never added
import torch
from torch import nn
import torch.nn.functional as F

class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.up = nn.Parameter(torch.empty(d_ff, d_model))
        self.up_bias = nn.Parameter(torch.zeros(d_ff))
        self.down = nn.Parameter(torch.empty(d_model, d_ff))
        self.down_bias = nn.Parameter(torch.zeros(d_model))
        nn.init.xavier_uniform_(self.up)
        nn.init.xavier_uniform_(self.down)
        self.rate = dropout

    def forward(self, x):
        hidden = F.linear(x, self.up, self.up_bias)
        hidden = hidden.clamp(min=0)
        hidden = F.dropout(hidden, self.rate, self.training)
        return F.linear(hidden, self.down)
