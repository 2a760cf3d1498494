"""The position-wise feed-forward network in torch (section 3.3, equation 2)."""

from __future__ import annotations

from torch import Tensor, nn


class PositionwiseFeedForward(nn.Module):
    """Linear, ReLU, dropout, linear: the same at every position."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Return an array shaped as x ``(..., d_model)``."""
        result: Tensor = self.w_2(self.dropout(self.w_1(x).relu()))
        return result
