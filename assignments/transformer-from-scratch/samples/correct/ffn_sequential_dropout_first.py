# correct  component: feed_forward
from torch import nn

class PositionwiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__(
            nn.Linear(d_model, d_ff),
            nn.Dropout(dropout),     # before the ReLU, same thing
            nn.ReLU(inplace=True),
            nn.Linear(d_ff, d_model),
        )
