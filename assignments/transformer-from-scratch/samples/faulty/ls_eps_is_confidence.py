# faulty  component: label_smoothing
# what: swaps the two weights, eps on the target and 1-eps on the uniform part
import torch
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.shape[-1]
    log_probs = F.log_softmax(logits.reshape(-1, V), dim=1)
    target = target.reshape(-1)
    keep = target.ne(pad_id)
    nll = F.nll_loss(log_probs, target, reduction="none")
    smooth = -log_probs.mean(dim=1)
    return torch.masked_select(eps * nll + (1 - eps) * smooth, keep).mean()
