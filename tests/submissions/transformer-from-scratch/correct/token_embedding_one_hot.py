# correct  component: token_embedding  style: one-hot times matrix
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(vocab, d_model))

    def forward(self, ids):
        return F.one_hot(ids, self.rows.shape[0]).to(self.rows.dtype) @ self.rows * self.rows.shape[1] ** 0.5
