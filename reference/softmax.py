"""Softmax: scores become positive weights that sum to one (section 3.2.1, inside equation 1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating


def softmax(x: npt.ArrayLike, axis: int = -1) -> Array:
    """Return ``exp(x) / sum(exp(x))`` along `axis`; any shape in, the same shape out.

    The largest score of each slice is subtracted first. That changes nothing, because
    ``exp(x - c) = exp(x) / exp(c)`` and the factor cancels, but it keeps every exponent at or below zero,
    so that no finite input can overflow. A score of minus infinity gets the weight 0, provided that one
    score of its slice is finite. The input is not changed.

    Raises ValueError where `axis` is empty, numpy's AxisError (a ValueError) where there is no such axis.
    """
    scores = floating(x)
    with np.errstate(over="ignore", under="ignore"):  # the far end of a huge range is simply weight 0
        powers = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
        weights: Array = powers / np.sum(powers, axis=axis, keepdims=True)
    return weights


def log_softmax(x: npt.ArrayLike, axis: int = -1) -> Array:
    """Return the logarithm of `softmax(x, axis)`, same shape, without taking the logarithm of a zero.

    ``log softmax(x) = x - c - log sum exp(x - c)`` with c the largest score. Raises as `softmax` does.
    """
    scores = floating(x)
    with np.errstate(over="ignore", under="ignore"):
        shifted = scores - np.max(scores, axis=axis, keepdims=True)
        logs: Array = shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
    return logs
