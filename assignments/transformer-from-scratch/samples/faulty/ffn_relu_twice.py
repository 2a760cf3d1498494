# faulty  component: feed_forward
# what: a second ReLU after the second linear layer
from torch import nn


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.fc = nn.ModuleList([nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)])
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        for layer in self.fc:
            x = layer(self.drop(x)).relu() if layer is self.fc[1] else layer(x).relu()
        return x
