import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.e = nn.Embedding(max_len, d_model)
        self.register_buffer('pos', torch.arange(max_len))

    def forward(self, x):
        return x + self.e(self.pos[: x.shape[1]])
