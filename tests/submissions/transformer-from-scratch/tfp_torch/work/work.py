import numpy as np


import torch


def teacher_forcing_pair(target):
    t = torch.as_tensor(target)
    return t[:, :-1].clone(), t[:, 1:].clone()
