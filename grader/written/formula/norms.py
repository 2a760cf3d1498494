"""LayerNorm spelled out: mean, variance, epsilon, gain and bias of one vector (section 3.1; Ba et al. 2016).

Where a student writes the norm out, x is one vector and the norm is computed; elsewhere it is any fixed map.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from grader.written.formula.tree import Call, ShapeError, UnreadableError
from grader.written.formula.values import Array, Value, World

STATISTICS: Mapping[str, str] = {
    **dict.fromkeys(("mean", "mu", "E", "avg", "average", "Mean", "Avg", "Average"), "mean"),
    **dict.fromkeys(("var", "Var", "variance", "Variance", "VAR", "V"), "var"),
    **dict.fromkeys(("std", "sigma", "Std", "sd", "SD", "stddev"), "std"),
}
STYLES = ("epsilon inside the root", "epsilon beside the deviation", "no epsilon")
EPSILON = 0.0625


def layer_norm(z: Array, world: World, *, by_variance: bool = False) -> Array:
    """Normalise one vector in the style of the world: gain * (z − mean) / deviation + bias."""
    inside = EPSILON if world.norm == STYLES[0] else 0.0
    beside = EPSILON if world.norm == STYLES[1] else 0.0
    spread = float(z.var())
    below = spread + EPSILON * (world.norm != STYLES[2]) if by_variance else math.sqrt(spread + inside) + beside
    gain, bias = np.asarray(world.symbols["gamma"]), np.asarray(world.symbols["beta"])
    return np.asarray(gain * (z - z.mean()) / below + bias)


def statistic(call: Call, value: Value) -> float:
    """Return the mean, the variance or the standard deviation of one vector."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        raise ShapeError("The mean of a number.")
    if any(key not in {"dim", "axis", "keepdim", "keepdims", "unbiased", "correction"} for key, _ in call.options):
        raise UnreadableError("Over what the mean is taken is not clear.")
    what = STATISTICS[call.name]
    return float(value.mean() if what == "mean" else value.var() if what == "var" else value.std())
