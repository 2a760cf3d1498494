# faulty  component: weight_tying
# what: the ids of the caller are changed in place
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        rows = self.embed(ids.clone())
        ids.sub_(1)
        return rows @ self.embed.weight.T
