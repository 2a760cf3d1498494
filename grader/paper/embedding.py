"""Token embeddings (section 3.4): rows of a table, times the root of their width."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.weights import Array


def embed(ids: Array, table: Array, scale: Any = "sqrt d") -> Array:
    """``table[ids] * sqrt(d_model)``, ``(..., d_model)``; where ``scale`` is ``added``, plus that root."""
    if scale == "added":
        return np.asarray(table[ids] + table.shape[1] ** 0.5)
    return np.asarray(table[ids] * factor_of(scale, ids, table))


def factor_of(scale: Any, ids: Array, table: Array) -> float:
    """What the rows are multiplied by: a number, or a name."""
    return float(_FACTORS[scale](ids, *table.shape) if isinstance(scale, str) else scale)


_FACTORS: Mapping[str, Callable[[Array, int, int], float]] = {
    "sqrt d": lambda _, __, d_model: d_model**0.5,
    "none": lambda *_: 1.0,
    "d": lambda _, __, d_model: d_model,
    "half d": lambda _, __, d_model: d_model / 2,
    "1/sqrt d": lambda _, __, d_model: d_model**-0.5,
    "1/d": lambda _, __, d_model: 1 / d_model,
    "fourth root": lambda _, __, d_model: d_model**0.25,
    "whole root": lambda _, __, d_model: math.isqrt(d_model),
    "sqrt vocab": lambda _, vocab, __: vocab**0.5,
    "sqrt length": lambda ids, *_: ids.shape[-1] ** 0.5,
}
