# misconception: trf-tied-weights-copied  component: weight_tying
import torch
import torch.nn as nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.linear = nn.Linear(d_model, vocab, bias=False)
        with torch.no_grad():
            self.linear.weight.copy_(self.embedding.weight)     # tie

    def forward(self, ids):
        return self.linear(self.embedding(ids))
