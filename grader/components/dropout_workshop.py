"""Dropout with knobs, every default being the right choice.

The draws are free, so values cannot be compared. A mistake is recognised by how the answers deviate from right ones
as a whole: see ``traits`` in dropout.py. ``shows`` in the catalogue lists the deviations where they are not the knobs.
"""

from collections.abc import Callable, Mapping

import numpy as np

from grader.properties import Array


def workshop(
    x: Array,
    p: float,
    training: bool | None = None,
    rng: np.random.Generator | None = None,
    *,
    drops: str = "p",
    factor: str = "kept",
    evaluation: str = "same",
    shared: tuple[int, ...] = (),
    seeded: str = "",
    ignores_rng: bool = False,
    needs_rng: bool = False,
    inverted: bool = False,
    off: bool = False,
    noise: bool = False,
    in_place: bool = False,
    fills: float = 0.0,
    unset: float = 0.0,
    at_zero: bool = False,
) -> Array:
    """The oracle with knobs: what is dropped and how often, what becomes of the rest, whose draws are used."""
    training = (not off) if training is None else training
    p = p or unset
    if training == inverted:
        if evaluation == "drops":
            return _dropped(x, p, "kept", np.random.default_rng().random(x.shape) >= p, fills)
        return x * {"same": 1.0, "scaled": 1 - p, "scaled_up": 1 / (1 - p)}[evaluation]
    if (p == 0 and not at_zero) or drops == "none":
        return x.copy() if drops != "none" else x * _factor(factor, p, np.ones(x.shape, bool))
    if rng is None and needs_rng:
        raise AttributeError("'NoneType' object has no attribute 'random'")
    draw = np.random.default_rng() if rng is None or ignores_rng else rng
    if seeded == "always" or (seeded == "alone" and draw is not rng):
        draw = np.random.default_rng(0)
    if noise:
        return x * draw.normal(1.0, np.sqrt(p / (1 - p)), x.shape)
    shape = tuple(1 if axis - x.ndim in shared else size for axis, size in enumerate(x.shape))
    limit = {"p": p, "1-p": 1 - p, "half": 0.5, "square": p * p}[drops]
    kept = np.broadcast_to(draw.random(shape) >= limit, x.shape)
    result = _dropped(x, p, factor, kept, fills)
    if in_place:
        x[...] = result
        return x
    return result


def _dropped(x: Array, p: float, factor: str, kept: Array, fills: float) -> Array:
    return np.where(kept, x * _factor(factor, p, kept), fills).astype(x.dtype)


def _factor(name: str, p: float, kept: Array) -> float:
    return FACTORS[name](p, 1 - float(np.mean(kept))) if name in FACTORS else 1 / (1 - p)


FACTORS: Mapping[str, Callable[[float, float], float]] = {
    "1": lambda p, dropped: 1.0,  # noqa: ARG005 - all take both
    "1/p": lambda p, dropped: 1 / p if p else np.inf,  # noqa: ARG005
    "p": lambda p, dropped: p,  # noqa: ARG005
    "1-p": lambda p, dropped: 1 - p,  # noqa: ARG005
    "1/(1-p)^2": lambda p, dropped: (1 - p) ** -2,  # noqa: ARG005
    "1/sqrt(1-p)": lambda p, dropped: (1 - p) ** -0.5,  # noqa: ARG005
    "1+p": lambda p, dropped: 1 + p,  # noqa: ARG005
    "drawn": lambda p, dropped: 1 / max(1 - dropped, 1e-9),  # noqa: ARG005
}
"""What survivors may be multiplied by instead of 1/(1-p): of p, and of the share that was dropped."""
