"""Label smoothing in torch (section 5.4)."""

from __future__ import annotations

from torch import Tensor


def label_smoothing_loss(logits: Tensor, target: Tensor, eps: float, pad_id: int) -> Tensor:
    """Return the mean cross-entropy with ``(1 - eps) one-hot + eps / V`` over targets that are not `pad_id`.

    logits ``(..., V)``, target ids ``(...)``; a scalar to call ``backward`` on. Nothing but padding gives 0.
    """
    logs = logits.log_softmax(dim=-1)
    of_target = logs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    # sum of q log p, with q = (1 - eps) one-hot + eps / V, falls into these two terms.
    loss = -(1 - eps) * of_target - eps * logs.mean(dim=-1)
    counted = target != pad_id
    return loss.masked_fill(~counted, 0.0).sum() / counted.sum().clamp(min=1)
