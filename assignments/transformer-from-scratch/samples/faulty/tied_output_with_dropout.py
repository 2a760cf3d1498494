# faulty  component: weight_tying
# what: dropout acts in evaluation mode as well
import torch.nn.functional as F
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        return F.dropout(self.embed(ids), 0.2) @ self.embed.weight.T
