# faulty  component: learned_positional_encoding
# what: position 0 takes row 1 (fails at full length)
import torch
import torch.nn as nn


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, max_len, d_model):
        super().__init__()
        self.emb = nn.Embedding(max_len, d_model)

    def forward(self, x):
        idx = torch.arange(1, x.size(1) + 1, device=x.device)
        return x + self.emb(idx)
