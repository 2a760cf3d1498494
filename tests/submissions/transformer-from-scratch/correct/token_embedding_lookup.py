# correct  component: token_embedding  style: the library's embedding
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TokenEmbedding(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)
