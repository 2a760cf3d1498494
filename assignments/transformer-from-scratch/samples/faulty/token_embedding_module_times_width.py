# faulty  component: token_embedding
# what: multiplies by d_model instead of its root
import torch.nn as nn


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        return self.emb(ids) * self.emb.embedding_dim
