# correct  component: weight_tying
import torch.nn as nn


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.generator = nn.Linear(d_model, vocab, bias=False)
        self.tok = nn.Embedding(vocab, d_model)
        self.tok.weight = self.generator.weight    # the embedding takes the linear's parameter

    def forward(self, ids):
        h = self.tok(ids)
        return self.generator(h)
