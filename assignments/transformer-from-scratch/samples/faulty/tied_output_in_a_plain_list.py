# faulty  component: weight_tying
# what: the shared table lies in a list, where torch does not see it
import torch
from torch import nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.kept = [nn.Embedding(vocab, d_model)]

    def forward(self, ids):
        return self.kept[0](ids) @ self.kept[0].weight.T
