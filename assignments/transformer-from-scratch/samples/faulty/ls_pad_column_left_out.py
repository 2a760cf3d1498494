# faulty  component: label_smoothing
# what: sets the padding column of the target distribution to zero although the task spreads eps over all classes
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.shape[-1]
    logp = logits.log_softmax(-1).reshape(-1, V)
    t = target.reshape(-1)
    q = torch.full_like(logp, eps / V)
    q.scatter_add_(1, t[:, None], torch.full_like(logp[:, :1], 1 - eps))
    if 0 <= pad_id < V:
        q[:, pad_id] = 0
    keep = t != pad_id
    return -(q * logp).sum(1)[keep].mean()
