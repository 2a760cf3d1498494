import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.w = nn.Linear(vocab, d_model, bias=False)
        self.vocab, self.d = vocab, d_model

    def forward(self, ids):
        return self.w(F.one_hot(ids, self.vocab).to(self.w.weight.dtype)) * torch.sqrt(torch.tensor(float(self.d)))
