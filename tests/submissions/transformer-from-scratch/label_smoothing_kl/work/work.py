import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    logp = F.log_softmax(logits.reshape(-1, V), -1)
    t = target.reshape(-1)
    dist = torch.full_like(logp, eps / V)
    dist.scatter_(1, t.unsqueeze(1), 1 - eps + eps / V)
    keep = t != pad_id
    return -(dist * logp).sum(-1)[keep].mean()
