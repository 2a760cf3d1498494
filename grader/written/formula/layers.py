"""The layers of the paper on arrays: softmax, attention, LayerNorm, and maps that stand for any layer."""

from __future__ import annotations

import math
import zlib
from dataclasses import replace

import numpy as np

from grader.written.formula.errors import ShapeError, UnreadableError
from grader.written.formula.tree import Node
from grader.written.formula.values import Array, Value, World, multiply
from grader.written.formula.vocabulary import STATISTICS

STYLES = ("epsilon inside the root", "epsilon beside the deviation", "no epsilon")
EPSILON = 0.0625
_OF_STATISTICS = frozenset({"keepdims", "keepdim", "dtype", "dim", "axis", "unbiased", "correction"})


def soft(x: Array, axis: int) -> Array:
    """Softmax of `x` along `axis`."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def opaque(name: str, x: Array, axis: int, place: int = 0) -> Array:
    """Return a fixed non-linear map of the features, one for each name: it stands for LayerNorm or a sublayer."""
    seed = zlib.crc32(f"{name}/{place}".encode())
    a, b, c = ((seed >> shift & 255) / 256 + 0.5 for shift in (0, 8, 16))
    return np.asarray(np.sin(a * x + c) + b * np.roll(x, 1, axis=axis) * x)


def attend(q: Value, k: Value, v: Value, world: World) -> Value:
    """Scaled dot-product attention in the world's orientation, section 3.2.1."""
    if not (isinstance(q, np.ndarray) and isinstance(k, np.ndarray) and isinstance(v, np.ndarray)):
        raise ShapeError("Attention of numbers.")
    if world.axis == 0:
        return np.asarray(attend(q.T, k.T, v.T, replace(world, axis=1))).T
    scores = multiply(q, k.T)
    if not isinstance(scores, np.ndarray):
        raise ShapeError("Attention of vectors.")
    size = world.symbols.get("d_k", q.shape[1]) if world.square else q.shape[1]
    return multiply(soft(scores / math.sqrt(float(size)), 1), v)


def layer_norm(z: Array, world: World, *, by_variance: bool) -> Array:
    """Normalise one vector in the style of the world: gain * (z − mean) / deviation + bias."""
    inside, beside = (EPSILON * (world.norm == style) for style in STYLES[:2])
    below = float(z.var()) + inside + beside if by_variance else math.sqrt(float(z.var()) + inside) + beside
    gain, bias = np.asarray(world.symbols["gamma"]), np.asarray(world.symbols["beta"])
    return np.asarray(gain * (z - z.mean()) / below + bias)


def statistic(tree: Node, value: Array) -> float:
    """Return the mean, the variance or the standard deviation of one vector."""
    if value.ndim != 1:
        raise ShapeError("The mean of a number.")
    if any(key not in _OF_STATISTICS for key, _ in tree.options):
        raise UnreadableError("Over what the mean is taken is not clear.")
    return float(getattr(value, STATISTICS[tree.name])())
