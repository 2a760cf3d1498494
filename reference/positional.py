"""Positional encoding: attention alone does not know the order of its input (section 3.5)."""

from __future__ import annotations

import numpy as np

from reference.floating import Array


def positional_encoding(max_len: int, d_model: int) -> Array:
    """Return the float64 table ``(max_len, d_model)`` of sines and cosines; row 0 is position 0.

    ``PE(pos, 2i) = sin(pos / 10000^(2i / d_model))`` and ``PE(pos, 2i + 1) = cos(the same angle)``: each pair
    of columns is the hand of a clock, the first turning once in 2π positions, the last almost 10000 times
    slower. Moving by k positions turns each hand by a fixed angle, whatever the position: a linear map of the
    row, which is why the paper expects relative positions to be easy to learn. An odd `d_model` has one sine
    more.

    Raises ValueError where `max_len` is negative or `d_model` is not positive.
    """
    if max_len < 0 or d_model < 1:
        raise ValueError(f"the table needs max_len >= 0 and d_model >= 1, not {max_len} and {d_model}")
    position = np.arange(max_len, dtype=np.float64)[:, np.newaxis]
    two_i = np.arange(0, d_model, 2, dtype=np.float64)
    angle = position / 10000.0 ** (two_i / d_model)
    table = np.empty((max_len, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle[:, : d_model // 2])
    return table
