"""Scaled dot-product attention (section 3.2.1, equation 1)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating
from reference.softmax import softmax


def scaled_dot_product_attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    mask: npt.ArrayLike | None = None,
    *,
    normalise: Callable[[Array], Array] = softmax,
) -> tuple[Array, Array]:
    """Return ``(output, weights)`` with ``weights = softmax(Q Kᵀ / sqrt(d_k))`` and ``output = weights V``.

    Q is ``(..., n, d_k)``, K ``(..., m, d_k)``, V ``(..., m, d_v)``; the output is ``(..., n, d_v)`` and the
    weights are ``(..., n, m)``. Leading axes broadcast. Query i reads from all m values, in proportion to how
    well its query matches their keys.

    Why the root: the dot product of two vectors of d_k independent entries with variance 1 has variance d_k.
    Without the division the softmax saturates for large d_k and its gradient vanishes (section 3.2.1,
    footnote 4).

    `mask` is boolean and broadcasts to ``(..., n, m)``; True means that the query may attend to the key. A
    blocked score becomes minus infinity, so its weight is exactly 0. A row in which nothing is allowed has no
    softmax; here its weights and its output are zeros.

    `normalise` replaces the softmax (over the last axis) by another function.

    Raises ValueError where the sizes do not fit or the mask is not boolean.
    """
    queries, keys, values = floating(Q), floating(K), floating(V)
    _require_sizes_that_fit(queries, keys, values)
    scores = queries @ keys.swapaxes(-1, -2) / math.sqrt(queries.shape[-1])
    if mask is None:
        weights = normalise(scores)
    else:
        allowed = _boolean(mask)
        blocked_out = np.where(allowed, scores, -np.inf)
        # A row without a single allowed key would be -inf minus -inf: give it harmless scores, then weight 0.
        harmless = np.where(allowed.any(axis=-1, keepdims=True), blocked_out, 0.0).astype(scores.dtype)
        weights = np.where(allowed, normalise(harmless), 0.0).astype(scores.dtype)
    return weights @ values, weights


def _boolean(mask: npt.ArrayLike) -> Array:
    allowed = np.asarray(mask)
    if allowed.dtype != np.bool_:
        raise ValueError(f"the mask must be boolean with True = may attend, not {allowed.dtype}")
    return allowed


def _require_sizes_that_fit(queries: Array, keys: Array, values: Array) -> None:
    for name, array in (("Q", queries), ("K", keys), ("V", values)):
        if array.ndim < 2:
            raise ValueError(f"{name} needs a position axis and a feature axis, but its shape is {array.shape}")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(f"Q and K must share d_k, but have {queries.shape[-1]} and {keys.shape[-1]} columns")
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError(f"K and V must have as many rows, but have {keys.shape[-2]} and {values.shape[-2]}")
