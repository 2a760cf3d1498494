# correct  component: token_embedding
import torch
from torch import nn
import torch.nn.functional as F


class TokenEmbedding(nn.Module):
    def __init__(self, vocab: int, d_model: int):
        super().__init__()
        self.E = nn.Parameter(torch.randn(vocab, d_model) * d_model ** -0.5)

    def forward(self, ids):
        V, d = self.E.shape
        one_hot = F.one_hot(ids, V).to(self.E.dtype)
        return torch.matmul(one_hot, self.E) * d ** 0.5
