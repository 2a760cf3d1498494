import numpy as np


import torch


def noam_lr(step, d_model, warmup):
    s = torch.tensor(float(step), dtype=torch.float64)
    return d_model ** -0.5 * torch.min(s ** -0.5, s * warmup ** -1.5)
