# faulty  component: weight_tying
# what: nothing is learned, since no gradient is kept
import torch
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)

    @torch.no_grad()
    def forward(self, ids):
        return self.embed(ids) @ self.embed.weight.T
