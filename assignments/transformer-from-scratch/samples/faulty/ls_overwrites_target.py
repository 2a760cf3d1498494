# misconception: ls-overwrites-target  component: label_smoothing
# what: sets padded targets to 0 in the caller's tensor so that gather finds a class
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    real = target != pad_id
    target[~real] = 0
    logs = torch.log_softmax(logits, dim=-1)
    hit = logs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    token = -((1 - eps) * hit + eps * logs.mean(dim=-1))
    return (token * real).sum() / real.sum()
