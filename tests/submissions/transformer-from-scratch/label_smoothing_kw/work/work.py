import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def label_smoothing_loss(logits, target, *, eps=0.1, pad_id=0):
    lp = torch.log_softmax(logits, -1)
    one = torch.nn.functional.one_hot(target, logits.shape[-1])
    d = (1 - eps) * one + eps / logits.shape[-1]
    loss = -(d * lp).sum(-1)
    return loss.masked_select(target.ne(pad_id)).mean()
