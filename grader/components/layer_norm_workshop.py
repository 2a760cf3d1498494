"""Layer normalisation as a function: the paper's with settings, and what only a function can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.paper.norm import layer_norm
from grader.paper.weights import Roles


def workshop(
    x: Any,
    gain: Any,
    shift: Any,
    eps: float = 1e-5,
    *,
    eps_default: float | None = None,
    in_place: str = "",
    result: str = "float",
    **settings: Any,
) -> Any:
    """The paper's norm with settings: its default eps, what is returned, and what is written into x."""
    given = np.asarray(x)
    values = given if given.dtype.kind == "f" else given.astype(np.float64)
    eps = eps_default if eps_default is not None and eps == 1e-5 else eps
    out = layer_norm(values, Roles({"gain": gain, "shift": shift}), eps, **settings)
    if in_place == "x":
        x -= values.mean(axis=-1, keepdims=True)
    return out.astype(given.dtype) if result == "input" else out
