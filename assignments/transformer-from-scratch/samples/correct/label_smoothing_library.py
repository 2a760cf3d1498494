# correct  component: label_smoothing
import torch.nn.functional as F

def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    return F.cross_entropy(logits.reshape(-1, V), target.reshape(-1), ignore_index=pad_id, label_smoothing=eps)
