# correct  component: label_smoothing
import torch
import torch.nn as nn
import torch.nn.functional as F


def label_smoothing_loss(logits, target, eps, pad_id):
    """Cross entropy, not KL: I add the entropy of the target distribution back."""
    V = logits.shape[-1]
    logp = F.log_softmax(logits.reshape(-1, V), dim=-1)
    tgt = target.reshape(-1)
    true = torch.full_like(logp, eps / V)
    true[torch.arange(tgt.numel(), device=tgt.device), tgt] += 1 - eps
    ntokens = (tgt != pad_id).sum()
    true[tgt == pad_id] = 0
    kl = nn.KLDivLoss(reduction="sum")(logp, true)
    entropy = -torch.xlogy(true, true).sum()
    return (kl + entropy) / ntokens
