# faulty  component: learned_positional_encoding
# what: takes the rows along the batch axis
import torch
from torch import nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, 1, d_model) * 0.02)

    def forward(self, x):
        return x + self.table[: x.size(0)]
