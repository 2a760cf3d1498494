import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, epsilon=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(normalized_shape))
        self.beta = nn.Parameter(torch.zeros(normalized_shape))
        self.epsilon = epsilon

    def forward(self, X):
        mu = torch.mean(X, axis=-1, keepdims=True)
        return self.gamma * ((X - mu) / (X.var(-1, keepdims=True, correction=0) + self.epsilon).sqrt()) + self.beta
