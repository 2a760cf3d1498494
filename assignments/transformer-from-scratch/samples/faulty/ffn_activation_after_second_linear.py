# misconception: ffn-activation-after-second-linear  component: feed_forward
from torch import nn

class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.expand = nn.Conv1d(d_model, d_ff, 1)
        self.shrink = nn.Conv1d(d_ff, d_model, 1)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = self.drop(self.expand(x.transpose(1, 2)))
        return self.act(self.shrink(h)).transpose(1, 2)
