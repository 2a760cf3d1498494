# faulty  component: learned_positional_encoding
# what: the table is a buffer of random numbers that is never trained
import torch
from torch import nn

class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.register_buffer("pos", torch.randn(max_len, d_model) * 0.02)
    def forward(self, x):
        return x + self.pos[: x.shape[1]]
