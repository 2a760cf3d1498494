"""Layer normalisation and the residual connection in torch (section 3.1)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Mean 0 and variance 1 over the last axis, then a learned gain and shift."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d_model))
        self.shift = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Return x ``(..., d_model)`` normalised; biased variance, eps under the root."""
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = (centred * centred).mean(dim=-1, keepdim=True)
        return self.gain * (centred / (variance + self.eps).sqrt()) + self.shift


class AddNorm(nn.Module):
    """A sublayer's surroundings: dropout on its output, the residual sum, the norm (sections 3.1 and 5.4).

    `norm_position` is "post" as in the paper, or "pre" for ``x + dropout(sublayer(norm(x)))``. Raises
    ValueError for anything else.
    """

    def __init__(self, d_model: int, dropout: float = 0.0, *, norm_position: str = "post") -> None:
        super().__init__()
        if norm_position not in ("post", "pre"):
            raise ValueError(f'norm_position must be "post" or "pre", not {norm_position!r}')
        self.norm_position = norm_position
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return ``LayerNorm(x + dropout(sublayer(x)))``, shaped as x ``(..., d_model)``."""
        if self.norm_position == "pre":
            before: Tensor = x + self.dropout(sublayer(self.norm(x)))
            return before
        after: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return after
