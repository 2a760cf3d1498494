"""Adam with the paper's settings (section 5.3; Kingma and Ba 2015, algorithm 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reference.floating import Array, floating


def adam_step(
    params: Any,
    grads: Any,
    m: Any,
    v: Any,
    step: int,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.98,
    eps: float = 1e-9,
) -> tuple[Any, Any, Any]:
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

    def update(parts: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any]:
        first = parts[0]
        if isinstance(first, Mapping):
            if any(not isinstance(each, Mapping) or set(each) != set(first) for each in parts):
                raise ValueError("params, grads, m and v must be dicts with the same keys")
            by_name = {name: update((first[name], *(each[name] for each in parts[1:]))) for name in first}
            return _turned(by_name)
        if isinstance(first, list | tuple):
            if any(not isinstance(each, list | tuple) or len(each) != len(first) for each in parts):
                raise ValueError("params, grads, m and v must be lists of the same length")
            rows = [update(four) for four in zip(*parts, strict=True)]
            kind = type(first)
            return kind(row[0] for row in rows), kind(row[1] for row in rows), kind(row[2] for row in rows)
        return _array_step(parts, step, lr, beta1, beta2, eps)

    return update((params, grads, m, v))


def _turned(by_name: dict[str, tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    return tuple({name: three[i] for name, three in by_name.items()} for i in range(3))  # type: ignore[return-value]


def _array_step(
    parts: tuple[Any, Any, Any, Any], step: int, lr: float, beta1: float, beta2: float, eps: float
) -> tuple[Array, Array, Array]:
    weight, gradient, old_m, old_v = (floating(each) for each in parts)
    if not weight.shape == gradient.shape == old_m.shape == old_v.shape:
        shapes = ", ".join(str(each.shape) for each in (weight, gradient, old_m, old_v))
        raise ValueError(f"params, grads, m and v must have one shape, but have {shapes}")
    new_m = beta1 * old_m + (1 - beta1) * gradient
    new_v = beta2 * old_v + (1 - beta2) * gradient * gradient
    corrected_m = new_m / (1 - beta1**step)
    corrected_v = new_v / (1 - beta2**step)
    return weight - lr * corrected_m / (np.sqrt(corrected_v) + eps), new_m, new_v
