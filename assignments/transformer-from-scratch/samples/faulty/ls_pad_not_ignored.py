# misconception: ls-pad-not-ignored  component: label_smoothing
import torch
from torch.nn import functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    K = logits.shape[-1]
    q = F.one_hot(target, K).to(logits.dtype)
    q = q * (1 - eps) + eps / K
    ce = -torch.einsum("...v,...v->...", q, F.log_softmax(logits, dim=-1))
    return ce.mean()
