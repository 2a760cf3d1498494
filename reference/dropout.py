"""Dropout (section 5.4; Srivastava et al. 2014), in the inverted form that every library uses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating


def dropout(x: npt.ArrayLike, p: float, training: bool = True, rng: np.random.Generator | None = None) -> Array:
    """Return x with each entry zeroed with probability p and the survivors multiplied by ``1 / (1 - p)``.

    The factor keeps the expected value, so that evaluation (``training=False``) is the identity. The paper
    drops at the output of each sublayer, before the residual sum, and on the sums of embeddings and
    positions, with p = 0.1 for the base model. `rng` makes the draw; without it a fresh generator is used,
    never numpy's global one.

    Shape as x; always a new array. Raises ValueError where p is not in ``0 <= p < 1``.
    """
    if not 0 <= p < 1:
        raise ValueError(f"p is the probability to drop and must lie in 0 <= p < 1, not {p}")
    values = floating(x)
    if not training or p == 0:
        return values.copy()
    draw = np.random.default_rng() if rng is None else rng
    kept = draw.random(values.shape) >= p
    return np.where(kept, values / (1 - float(p)), 0.0).astype(values.dtype)
