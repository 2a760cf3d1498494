# correct  component: weight_tying  style: one raw parameter, indexed and multiplied
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class TiedOutput(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocab, d_model) * d_model**-0.5)

    def forward(self, ids):
        return torch.einsum("...d,vd->...v", self.table[ids], self.table)
