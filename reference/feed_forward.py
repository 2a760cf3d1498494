"""The position-wise feed-forward network (section 3.3, equation 2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating


def feed_forward(
    x: npt.ArrayLike, W_1: npt.ArrayLike, b_1: npt.ArrayLike, W_2: npt.ArrayLike, b_2: npt.ArrayLike
) -> Array:
    """Return ``max(0, x W_1 + b_1) W_2 + b_2`` for x ``(..., d_model)``; the result has the shape of x.

    W_1 is ``(d_model, d_ff)``, b_1 ``(d_ff,)``, W_2 ``(d_ff, d_model)``, b_2 ``(d_model,)``. Every position
    goes through the same two layers and none sees another: mixing positions is left to attention.

    Raises ValueError where the sizes do not fit (numpy's own message).
    """
    hidden = np.maximum(floating(x) @ floating(W_1) + floating(b_1), 0)
    result: Array = hidden @ floating(W_2) + floating(b_2)
    return result
