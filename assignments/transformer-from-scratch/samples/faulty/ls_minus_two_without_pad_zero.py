# misconception: ls-minus-two-without-pad-zero  component: label_smoothing
import torch
import torch.nn as nn


class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing):
        super().__init__()
        self.size, self.padding_idx, self.smoothing = size, padding_idx, smoothing
        self.confidence = 1.0 - smoothing

    def forward(self, x, target):
        true_dist = x.detach().clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.unsqueeze(1), self.confidence)
        mask = (target == self.padding_idx).nonzero().flatten()
        true_dist.index_fill_(0, mask, 0.0)
        return -(true_dist * x).sum() / (target != self.padding_idx).sum()


def label_smoothing_loss(logits, target, eps, pad_id):
    V = logits.size(-1)
    return LabelSmoothing(V, pad_id, eps)(logits.log_softmax(-1).reshape(-1, V), target.reshape(-1))
