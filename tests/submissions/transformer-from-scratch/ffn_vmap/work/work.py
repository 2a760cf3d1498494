import torch
from torch import nn

class PositionwiseFeedForward(nn.Module):

    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.a, self.b, self.d = (nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), nn.Dropout(dropout))

    def forward(self, x):
        return self.d(torch.vmap(torch.vmap(lambda t: self.b(torch.relu(self.a(t)))))(x))
