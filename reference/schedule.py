"""The learning rate: a linear warm-up, then a decay with the root of the step (section 5.3, equation 3)."""

from __future__ import annotations


def noam_lr(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Return ``factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)``; steps count from 1.

    The two branches meet at ``step = warmup``, where the rate has its peak ``(d_model * warmup)^-0.5``. The
    paper warms up for 4000 steps and has no factor. Raises ValueError where one of the first three is below 1.
    """
    if step < 1 or d_model < 1 or warmup < 1:
        raise ValueError(f"step, d_model and warmup must be at least 1, not {step}, {d_model} and {warmup}")
    return float(factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))
