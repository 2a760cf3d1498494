"""The paper's optimizer in torch: Adam under a rate that warms up, then decays (section 5.3)."""

from __future__ import annotations

from collections.abc import Iterable

from torch import nn
from torch.optim import Adam
from torch.optim.lr_scheduler import LambdaLR


def noam_lr(step: int, d_model: int, warmup: int) -> float:
    """Return ``d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)``; steps count from 1."""
    return float(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


def paper_adam(
    parameters: Iterable[nn.Parameter], d_model: int, warmup: int = 4000, factor: float = 1.0
) -> tuple[Adam, LambdaLR]:
    """Return Adam with betas 0.9 and 0.98 and eps 1e-9, and the schedule to step after it.

    LambdaLR counts from 0 and multiplies the optimizer's own rate, so that rate is 1 and the count moves up
    by one. `factor` multiplies the schedule; the paper has 1.
    """
    optimizer = Adam(parameters, lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    return optimizer, LambdaLR(optimizer, lambda count: factor * noam_lr(count + 1, d_model, warmup))
