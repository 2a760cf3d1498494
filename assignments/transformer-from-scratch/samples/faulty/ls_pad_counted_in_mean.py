# misconception: ls-pad-counted-in-mean  component: label_smoothing
import torch
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    per_token = F.cross_entropy(logits.reshape(-1, V), target.reshape(-1), reduction="none",
                                ignore_index=pad_id, label_smoothing=eps)
    return per_token.mean()
