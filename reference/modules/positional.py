"""Positional encodings in torch: the paper's sines, and the learned rows beside them (section 3.5)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def sinusoidal_table(max_len: int, d_model: int) -> Tensor:
    """Return the float64 table ``(max_len, d_model)``: sine in even columns, cosine in odd ones."""
    position = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position / 10000.0 ** (two_i / d_model)
    table = torch.empty(max_len, d_model, dtype=torch.float64)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle[:, : d_model // 2].cos()
    return table


class PositionalEncoding(nn.Module):
    """Adds the table of sines. It is a buffer: it moves with the module and is not trained.

    The table stays in float64 and is rounded where it is used, so that a float64 model gets all its digits.
    """

    table: Tensor

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_table(max_len, d_model), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return x ``(batch, n, d_model)`` with row i of the table added at position i.

        Raises ValueError where n is more than max_len.
        """
        _require_room(x.shape[-2], self.table.shape[0])
        return x + self.table[: x.shape[-2]].to(x.dtype)


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned row per position: table 3, row (E), which did as well as the sines."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model) * 0.02)

    def forward(self, x: Tensor) -> Tensor:
        """Return x ``(batch, n, d_model)`` plus its rows. Raises ValueError where n is more than max_len."""
        _require_room(x.shape[-2], self.table.shape[0])
        return x + self.table[: x.shape[-2]]


def _require_room(n: int, max_len: int) -> None:
    if n > max_len:
        raise ValueError(f"the sequence has {n} positions, but the table has only max_len = {max_len}")
