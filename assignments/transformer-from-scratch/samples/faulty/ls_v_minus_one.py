# faulty  component: label_smoothing
# what: spreads eps over the V-1 wrong classes only
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    lp = torch.log_softmax(logits, -1)
    hit = lp.gather(-1, target[..., None])[..., 0]
    rest = lp.sum(-1) - hit
    loss = -(1 - eps) * hit - eps / (V - 1) * rest
    return loss[target != pad_id].mean()
