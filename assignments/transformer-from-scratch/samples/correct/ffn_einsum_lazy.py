# correct  component: feed_forward
import torch.nn as nn
import torch.nn.functional as F


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.dense1 = nn.LazyLinear(d_ff)
        self.dense2 = nn.LazyLinear(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X):
        return self.dense2(self.dropout(F.relu(self.dense1(X))))
