# misconception: ls-probabilities-not-logs  component: label_smoothing
import torch
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    p = torch.softmax(logits, dim=-1)
    v = p.shape[-1]
    # nll_loss takes care of the log, I think
    nll = F.nll_loss(p.reshape(-1, v), target.reshape(-1), reduction="none")
    smooth = -p.reshape(-1, v).mean(dim=-1)
    keep = target.reshape(-1) != pad_id
    return ((1 - eps) * nll + eps * smooth)[keep].mean()
