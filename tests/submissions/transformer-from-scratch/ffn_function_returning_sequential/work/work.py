import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def PositionwiseFeedForward(d_model, d_ff, dropout=0.0):
    return nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
