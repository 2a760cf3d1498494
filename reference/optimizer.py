"""Adam with the paper's settings (section 5.3; Kingma and Ba 2015, algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np

from reference.floating import Array, floating

Tree = TypeVar("Tree")
"""An array, or a list, tuple or dict of trees."""


def adam_step(
    params: Tree,
    grads: Tree,
    m: Tree,
    v: Tree,
    step: int,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.98,
    eps: float = 1e-9,
) -> tuple[Tree, Tree, Tree]:
    """Return ``(params, m, v)`` after one step; steps count from 1; the inputs are not changed.

    ``m = beta1 m + (1 - beta1) g`` and ``v = beta2 v + (1 - beta2) g²`` are running means of the gradient and
    of its square. Both start at zero and are therefore too small at first: dividing by ``1 - beta^step``
    corrects that. The step is ``lr * m̂ / (sqrt(v̂) + eps)``, so the very first one moves every entry by
    about lr, against the sign of its gradient.

    `params`, `grads`, `m` and `v` are arrays of one shape, or lists, tuples or dicts of arrays, all alike;
    the results are built the same way. Raises ValueError where step < 1 or the four do not match.
    """
    if step < 1:
        raise ValueError(f"steps count from 1, but step is {step}")

    def update(*four: Array) -> tuple[Array, Array, Array]:
        weight, gradient, old_m, old_v = (floating(each) for each in four)
        if not weight.shape == gradient.shape == old_m.shape == old_v.shape:
            shapes = ", ".join(str(np.shape(each)) for each in four)
            raise ValueError(f"params, grads, m and v must have one shape, but have {shapes}")
        new_m = beta1 * old_m + (1 - beta1) * gradient
        new_v = beta2 * old_v + (1 - beta2) * gradient * gradient
        corrected_m = new_m / (1 - beta1**step)
        corrected_v = new_v / (1 - beta2**step)
        return weight - float(lr) * corrected_m / (np.sqrt(corrected_v) + eps), new_m, new_v

    return cast("tuple[Tree, Tree, Tree]", _leaf_by_leaf(update, (params, grads, m, v)))


def _leaf_by_leaf(update: Callable[..., tuple[Array, Array, Array]], four: tuple[Any, ...]) -> tuple[Any, ...]:
    """Call `update` on each quadruple of arrays and return its three answers, built like the input."""
    params = four[0]
    if isinstance(params, Mapping):
        if any(not isinstance(each, Mapping) or set(each) != set(params) for each in four):
            raise ValueError("params, grads, m and v must be dicts with the same keys")
        answers = [_leaf_by_leaf(update, tuple(each[name] for each in four)) for name in params]
        return tuple(dict(zip(params, column, strict=True)) for column in _columns(answers))
    if isinstance(params, list | tuple):
        if any(not isinstance(each, list | tuple) or len(each) != len(params) for each in four):
            raise ValueError("params, grads, m and v must be lists of the same length")
        answers = [_leaf_by_leaf(update, row) for row in zip(*four, strict=True)]
        return tuple(type(params)(column) for column in _columns(answers))
    return update(*four)


def _columns(answers: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Return the new params, m and v of all leaves: three lists, even where there is no leaf."""
    return [[answer[i] for answer in answers] for i in range(3)]
