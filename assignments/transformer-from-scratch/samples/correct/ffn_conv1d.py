# correct  component: feed_forward
import torch.nn as nn


class PositionwiseFeedForward(nn.Module):
    """section 3.3: 'two convolutions with kernel size 1'"""

    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.conv1 = nn.Conv1d(d_model, d_ff, kernel_size=1)
        self.conv2 = nn.Conv1d(d_ff, d_model, kernel_size=1)
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x):
        y = self.relu(self.conv1(x.transpose(-1, -2)))
        return self.conv2(self.drop(y)).transpose(-1, -2)
