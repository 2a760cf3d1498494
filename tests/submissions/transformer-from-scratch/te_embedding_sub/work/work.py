import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TokenEmbedding(nn.Embedding):
    def __init__(self, vocab, d_model):
        super().__init__(vocab, d_model)

    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)
