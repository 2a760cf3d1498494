# faulty  component: weight_tying
# what: the rows are turned into float32 before the product
import torch
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)

    def forward(self, ids):
        return torch.matmul(self.embed(ids).float(), self.embed.weight.T)
