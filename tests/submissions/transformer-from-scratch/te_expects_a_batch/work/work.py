import math

from torch import nn


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.rows, self.factor = nn.Embedding(vocab, d_model), math.sqrt(d_model)

    def forward(self, ids):
        batch, n = ids.shape
        assert ids.dim() == 2, "ids are (batch, n)"
        return (self.rows(ids.reshape(-1)) * self.factor).reshape(batch, n, -1)
