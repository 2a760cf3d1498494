# correct  component: weight_tying
from torch import nn
import torch.nn.functional as F

class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model)

    @property
    def out_weight(self):
        return self.emb.weight

    def forward(self, ids):
        return F.linear(F.embedding(ids, self.emb.weight), self.out_weight)
