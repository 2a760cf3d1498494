"""One step of Adam with knobs, every default being the right choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.properties import Array


def workshop(
    params: Array,
    grads: Array,
    m: Array,
    v: Array,
    step: int,
    lr: float,
    beta1: float | None = None,
    beta2: float | None = None,
    eps: float | None = None,
    *,
    defaults: tuple[float, float, float] = (0.9, 0.98, 1e-9),
    fixed: str = "",
    swapped: str = "",
    means: str = "mean",
    squares: str = "square",
    correct: str = "both",
    power: str = "step",
    shift: int = 0,
    eps_at: str = "beside",
    root: str = "sqrt",
    direction: float = -1.0,
    moves: str = "mean",
    decay: float = 0.0,
    shrinks: float = 0.0,
    returned: str = "means",
    in_place: str = "",
) -> Any:
    """The oracle with knobs; every default is the paper's choice.

    The three settings are None where the caller leaves them out; ``fixed`` names those that take the defaults whatever
    was given.
    """
    given = zip(("beta1", "beta2", "eps"), (beta1, beta2, eps), defaults, strict=True)
    b1, b2, small = (default if name in fixed or value is None else value for name, value, default in given)
    if swapped == "everywhere":
        b1, b2 = b2, b1
    of_means = (b2, b1) if swapped == "means" else (b1, b2)
    grads = grads + decay * params
    new_m = _mean(m, grads, of_means[0], means)
    squared = {
        "plain": grads,
        "size": np.abs(grads),
        "mean": new_m**2,
        "old": m**2,
        "surprise": (grads - new_m) ** 2,
        "old surprise": (grads - m) ** 2,
    }.get(squares, grads**2)
    new_v = _mean(v, squared, of_means[1], means)
    new_v = np.maximum(v, new_v) if squares == "max" else new_v
    hat_m = new_m / _correction(b1, step + shift, power) if correct.startswith(("both", "m")) else new_m
    of_v = b1 if correct == "both by beta1" else b2
    hat_v = new_v / _correction(of_v, step + shift, power) if correct.startswith(("both", "v")) else new_v
    top = {
        "mean": hat_m,
        "gradient": grads,
        "old": m / (1 - b1**step),
        "both old": m / (1 - b1**step),
        "nesterov": b1 * hat_m + (1 - b1) * grads,
    }[moves]
    below = v / (1 - b2**step) if moves == "both old" else hat_v
    moved = params * (1 - lr * shrinks) + direction * lr * top / _root(below, small, eps_at, root)
    if in_place:
        new_m, new_v, moved = _write(in_place, (m, new_m), (v, new_v), (params, moved))
    return {
        "means": (moved, new_m, new_v),
        "corrected": (moved, hat_m, hat_v),
        "swapped": (moved, new_v, new_m),
        "means_first": (new_m, new_v, moved),
        "params": moved,
        "old": (moved, m, v),
        "update": (moved - params, new_m, new_v),
    }[returned]


def _mean(old: Array, new: Array, beta: float, how: str) -> Array:
    old_share, new_share = {
        "mean": (beta, 1 - beta),
        "turned": (1 - beta, beta),
        "sum": (beta, 1.0),
        "forgets": (0.0, 1 - beta),
        "latest": (0.0, 1.0),
        "all": (1.0, 1 - beta),
    }[how]
    return old_share * old + new_share * new


def _correction(beta: float, step: int, power: str) -> Any:
    exponent = {"step": step, "one": 1, "times": 1}[power]
    return 1 - (beta * step if power == "times" else np.float64(beta) ** exponent)


def _root(hat_v: Array, eps: float, eps_at: str, root: str) -> Array:
    inside = hat_v + eps if eps_at == "inside" else hat_v
    found = inside if root == "none" else np.sqrt(np.abs(inside) if root == "sqrt of the size" else inside)
    if eps_at == "floor":
        return np.maximum(found, eps)
    return found + eps if eps_at == "beside" else found


def _write(which: str, *pairs: tuple[Array, Array]) -> list[Array]:
    """Write new values into the caller's arrays: the parameters, the two means, or all."""
    results = []
    for position, (old, new) in enumerate(pairs):
        if which == "all" or (which == "params") == (position == 2):
            old[...] = new
            results.append(old)
        else:
            results.append(new)
    return results
