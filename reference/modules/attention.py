"""Scaled dot-product attention in torch (section 3.2.1) and the causal mask (section 3.2.3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def scaled_dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return ``(output, weights)``: Q ``(..., n, d_k)``, K ``(..., m, d_k)``, V ``(..., m, d_v)``.

    `mask` is boolean, True = may attend, broadcastable to ``(..., n, m)``. A row with nothing allowed gives
    zeros. Raises ValueError where the mask is not boolean.
    """
    scores = Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        if mask.dtype != torch.bool:
            raise ValueError(f"the mask must be boolean with True = may attend, not {mask.dtype}")
        # The lowest number, and not -inf: a row with nothing allowed would give NaN, as a gradient too.
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ V, weights


def causal_mask(n: int, device: torch.device | None = None) -> Tensor:
    """Return the boolean ``(n, n)`` mask that is True on and below the diagonal."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()
