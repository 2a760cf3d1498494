# faulty  component: weight_tying
# what: multiplies the embedding by sqrt(d_model) although the tie alone is asked for
import math
from torch import nn
import torch.nn.functional as F


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.d_model = d_model

    def forward(self, ids):
        x = self.embed(ids) * math.sqrt(self.d_model)
        return F.linear(x, self.embed.weight)
