import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model, padding_idx=None):
        super().__init__()
        self.e = nn.Embedding(vocab, d_model, padding_idx=padding_idx)
        self.s = d_model ** 0.5

    def forward(self, ids):
        return self.e(ids.long()).mul(self.s)
