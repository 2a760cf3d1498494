import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    return F.cross_entropy(logits.flatten(0, -2), target.flatten(), label_smoothing=eps, ignore_index=pad_id)
