"""The layers of the paper on arrays: softmax, attention, LayerNorm, and maps that stand for any layer."""

from __future__ import annotations

import math
import zlib
from dataclasses import replace

import numpy as np

from grader.written.formula.errors import ShapeError
from grader.written.formula.values import Array, Value, World, multiply


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
