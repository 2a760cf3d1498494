"""Arrays and named weights: the two kinds of data that every other file here takes and returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Weights: TypeAlias = Mapping[str, Array]
"""Arrays by role, for instance ``self_attention.w_q``. A matrix is (in, out), to be used as ``x @ w``."""


def floating(x: npt.ArrayLike) -> Array:
    """Return `x` as a floating array: float32 and float64 stay, integers and booleans become float64.

    The array may be `x` itself, so callers never write into it.
    """
    array = np.asarray(x)
    if np.issubdtype(array.dtype, np.floating):
        return array
    return array.astype(np.float64)


def part(weights: Weights, name: str) -> dict[str, Array]:
    """Return the weights below `name` with the prefix taken off: ``self_attention.w_q`` becomes ``w_q``."""
    prefix = f"{name}."
    return {role.removeprefix(prefix): array for role, array in weights.items() if role.startswith(prefix)}
