# correct  component: weight_tying  style: the embedding takes the output layer's weight, with a bias
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.generator = nn.Linear(d_model, vocab)
        self.embedding = nn.Embedding(vocab, d_model)
        self.embedding.weight = self.generator.weight

    def forward(self, ids):
        return self.generator(self.embedding(ids))
