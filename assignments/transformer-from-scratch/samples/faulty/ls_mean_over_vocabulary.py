# misconception: ls-mean-over-vocabulary  component: label_smoothing
import torch
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.shape[-1]
    keep = target.flatten() != pad_id
    log_p = F.log_softmax(logits.reshape(-1, V), dim=-1)[keep]
    t = target.flatten()[keep]
    q = torch.full_like(log_p, eps / V)
    q[torch.arange(len(t)), t] += 1 - eps
    return torch.mean(-q * log_p)
