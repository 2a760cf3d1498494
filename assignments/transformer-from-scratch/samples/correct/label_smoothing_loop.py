# correct  component: label_smoothing
import torch


def label_smoothing_loss(logits, target, eps, pad_id):
    vocab = logits.shape[-1]
    rows = logits.contiguous().view(-1, vocab)
    losses = []
    for row, t in zip(rows, target.flatten().tolist()):
        if t == pad_id:
            continue
        q = torch.ones(vocab, dtype=row.dtype, device=row.device) * (eps / vocab)
        q[t] = q[t] + (1.0 - eps)
        log_p = row - torch.logsumexp(row, dim=0)
        losses.append(-torch.dot(q, log_p))
    return torch.stack(losses).mean()
