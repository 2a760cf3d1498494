import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.max_len = max_len
        self.pe = nn.Embedding(num_embeddings=max_len, embedding_dim=d_model, _weight=torch.zeros(max_len, d_model))

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError('too long')
        pos = torch.arange(x.size(1), device=x.device).unsqueeze(0).repeat(x.size(0), 1)
        return x + self.pe(pos)
