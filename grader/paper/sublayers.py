"""What stands inside every layer, with settings by their whole names: what is turned elsewhere is passed over."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.paper import feed_forward as network
from grader.paper import heads as attention
from grader.paper import norm
from grader.paper.weights import Array, Roles

Knobs = Mapping[str, Any]
NONE: Knobs = {}


def of(part: str, knobs: Knobs) -> dict[str, Any]:
    """The settings of one part, by their own names: ``of("sdpa", …)`` has ``scale`` for ``sdpa.scale``."""
    if not knobs:
        return {}
    start = len(part) + 1
    return {name[start:]: knobs[name] for name in knobs if name.startswith(part) and name[start - 1] == "."}


def multi_head(
    query: Array, key: Array, value: Array, weights: Roles, heads: int, mask: Array | None, knobs: Knobs = NONE
) -> Array:
    """Multi-head attention for ``(batch, n, d_model)``; masks of 2, 3 (per sample) or 4 axes."""
    mine = of("mha", knobs)
    residual = mine.pop("residual", None)
    entered = _entered(query, weights, residual, knobs)
    if entered is not query:  # a memory is read as it is
        key, value = (entered if np.array_equal(one, query) else one for one in (key, value))
    apart: dict[str, Any] = {"within": of("sdpa", knobs), "turning": of("rope", knobs)}
    out, _ = attention.multi_head(entered, key, value, weights, heads, mask, **apart, **mine)
    return _with_residual(out, query, weights, residual, knobs)


def feed_forward(x: Array, weights: Roles, knobs: Knobs = NONE) -> Array:
    """Equation 2: ``max(0, x W_1 + b_1) W_2 + b_2``."""
    mine = of("ffn", knobs)
    residual = mine.pop("residual", None)
    out = network.feed_forward(_entered(x, weights, residual, knobs), weights, **mine)
    return _with_residual(out, x, weights, residual, knobs)


def layer_norm(x: Array, weights: Roles, knobs: Knobs = NONE, eps: float = 1e-5) -> Array:
    """``gain * (x - mean) / sqrt(variance + eps) + shift`` over the last axis."""
    return norm.layer_norm(x, weights, eps, **of("ln", knobs))


def _entered(x: Array, weights: Roles, how: Any, knobs: Knobs) -> Array:
    """What a sublayer reads: the vectors, behind a norm that some put inside it, in front."""
    return layer_norm(x, weights.part("norm"), knobs) if how == "norm_first" else x


def _with_residual(out: Array, x: Array, weights: Roles, how: Any, knobs: Knobs) -> Array:
    """The residual, and the norm, that some put inside a sublayer."""
    if how:
        out = out + x
    return layer_norm(out, weights.part("norm"), knobs) if how == "norm" else out
