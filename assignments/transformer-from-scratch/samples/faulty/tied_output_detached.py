# faulty  component: weight_tying
# what: the output side uses a detached matrix, so only the embedding side is trained
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        h = self.tok(ids)
        return h @ self.tok.weight.data.t()
