# misconception: ls-uniform-part-not-scaled  component: label_smoothing
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    log_p = torch.log_softmax(logits, dim=-1)
    nll = -log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    uniform = -log_p.mean(dim=-1)
    loss = (1 - eps) * nll + uniform
    keep = (target != pad_id)
    return loss[keep].mean()
