# correct  component: label_smoothing
import torch
from torch.nn.functional import one_hot, log_softmax


def label_smoothing_loss(logits, target, eps, pad_id):
    n_class = logits.size(-1)
    smooth = one_hot(target, n_class).type_as(logits) * (1 - eps) + eps / n_class
    nll = torch.sum(-smooth * log_softmax(logits, -1), dim=-1)
    keep = target.ne(pad_id)
    return nll.masked_select(keep).sum() / keep.sum()
