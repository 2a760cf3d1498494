"""The learning rate with knobs, every default being the right choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

_BRANCH: Mapping[str, Callable[[float, float], float]] = {
    "min": min,
    "max": max,
    "sum": lambda decay, rise: decay + rise,
    "product": lambda decay, rise: decay * rise,
    "rise": lambda _, rise: rise,
    "decay": lambda decay, _: decay,
}


def workshop(
    step: int,
    d_model: int,
    warmup: int,
    factor: float = 1.0,
    *,
    shift: int = 0,
    shifts: str = "both",
    width: float = -0.5,
    rise: float = 1.0,
    warm: float = -1.5,
    decay: float = -0.5,
    branch: str = "min",
    after: str = "root",
    times: float = 1.0,
    ignores_factor: bool = False,
    width_on: str = "both",
    swap: str = "",
    fixed: Mapping[str, int] | None = None,
    whole: bool = False,
) -> float:
    """The oracle with knobs; every default is the paper's choice.

    ``shifts`` says in which branch the step is counted otherwise, ``rise`` or ``both``.
    ``after`` other than ``root`` keeps the peak and goes on in another way from there, or one step before (``if <``).
    """
    if swap == "step":
        step, warmup = warmup, step
    if swap == "width":
        d_model, warmup = warmup, d_model
    d_model, warmup = (fixed or {}).get("d_model", d_model), (fixed or {}).get("warmup", warmup)
    early = step + shift
    step = early if shifts == "both" else step
    if step <= 0:
        return 0.0
    scale = times * (1.0 if ignores_factor else factor) * d_model**width
    if after != "root" and (step > warmup or (step == warmup and branch == "if <")):
        return float(scale * warmup**-0.5 * _after(after, step, warmup))
    rising = early // warmup * warmup**-0.5 if whole else early**rise * warmup**warm
    falling = step**decay
    if branch.startswith("if"):  # an if in place of the minimum: where the branches do not meet, the rate jumps
        return float(scale * (rising if step < warmup or (step == warmup and branch == "if <=") else falling))
    if width_on == "decay":
        return float(min(scale * falling, rising))
    return float(scale * _BRANCH[branch](falling, rising))


def _after(after: str, step: int, warmup: int) -> float:
    """The course of the rate after the peak, as a share of it."""
    share: dict[str, float] = {
        "constant": 1.0,
        "inverse": warmup / step,
        "growing": (step / warmup) ** 0.5,
        "squared": (warmup / step) ** 2,
        "linear": max(0.0, 1 - (step - warmup) / warmup),
        "exponential": float(np.exp(-(step - warmup) / warmup)),
    }
    if after in share:
        return share[after]
    more, since = _FROM_THE_PEAK[after](warmup)
    return float((step - warmup + since) ** -0.5 * more)


_FROM_THE_PEAK: Mapping[str, Callable[[int], tuple[float, int]]] = {
    "from_the_peak": lambda warmup: (warmup**0.5, 0),
    "from_the_peak, counted from 1": lambda warmup: (warmup**0.5, 1),
    "peak by the root": lambda _: (1.0, 0),
    "peak by the root, counted from 1": lambda _: (1.0, 1),
}
"""Where the step is counted anew after the peak: what its root divides, and where the count begins."""
