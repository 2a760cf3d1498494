"""Teacher forcing: the decoder reads the right answer, shifted by one position (section 3.1, figure 1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array


def teacher_forcing_pair(target: npt.ArrayLike) -> tuple[Array, Array]:
    """Return ``(target[:, :-1], target[:, 1:])``: what the decoder reads, and what it must answer.

    `target` holds ids ``(batch, n)`` with bos and eos in them; both results are ``(batch, n - 1)`` and
    copies. With the shift and the causal mask together, the prediction at i depends on positions before i
    alone. Raises ValueError where the target does not have two axes or no position.
    """
    ids = np.asarray(target)
    if ids.ndim != 2 or ids.shape[1] == 0:
        raise ValueError(f"the target must be (batch, n) with n >= 1, but its shape is {ids.shape}")
    return ids[:, :-1].copy(), ids[:, 1:].copy()
