"""The learning rate: linear warm-up, then a decay with the root of the step (section 5.3, equation 3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import reference
from grader.component import pictures
from grader.component.calls import Call, Case
from grader.component.checks import Evidence, Found, Oracle
from grader.judging.function import Function
from grader.properties import COARSE, Comparison, as_array, near, other_kind

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


LOOSE = 1e-3
"""Ratios of late steps are compared this loosely, so that a slip of one step is lost in one place only."""


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:  # noqa: ARG001 - every ladder's form
    """Smallest numbers first; then the paper's own; then steps on both sides of the peak."""
    yield _case(1, 1, 4, "the first of four warm-up steps", "warm", fixed=True)
    yield _case(3, 4, 8, "the third of eight warm-up steps", "warm", fixed=True)
    yield _case(4, 4, 4, "the step where warm-up ends", "peak", fixed=True)
    yield _case(16, 4, 4, "long after four steps of warm-up", "late", fixed=True)
    yield _case(1, 512, 4000, "the paper's model, first step", "warm", fixed=True)
    yield _case(4000, 512, 4000, "the paper's model at the end of warm-up", "peak", fixed=True)
    yield _case(100_000, 512, 4000, "the paper's model, last step", "late", fixed=True)
    width, warmup = int(rng.integers(3, 900)), int(rng.integers(50, 3000))
    yield _case(int(rng.integers(2, warmup)), width, warmup, "a step of the warm-up", "warm")
    yield _case(warmup, width + 1, warmup, "the end of the warm-up", "peak")
    yield _case(warmup * int(rng.integers(5, 90)), width + 2, warmup, "a step long after", "late")
    yield _case(warmup + int(rng.integers(3, 40)), width, warmup, "a step soon after the peak", "late")
    yield _case(3, 4, 8, "twice the rate of the paper", "factor", factor=2.0, fixed=True)
    yield _case(warmup // 2, width, warmup, "a factor of its own", "factor", factor=float(rng.uniform(0.2, 0.8)))
    yield _case(3 * warmup, width, warmup, "a factor of its own", "factor", factor=float(rng.uniform(1.5, 3)))


def _case(
    step: int, d_model: int, warmup: int, why: str, tag: str, *, factor: float = 1.0, fixed: bool = False
) -> Case:
    inputs = {"step": step, "d_model": d_model, "warmup": warmup, "factor": factor}
    return Case(inputs, why, frozenset({tag}), fixed=fixed)


_DRAWN, _PAST_PEAK = 40, 4
"""Places of a drawn curve, and how many times the warm-up it reaches."""


def _places(warmup: int, **_: float) -> Sequence[int]:
    """Steps at which the curve is drawn: the rise, the peak and the way down."""
    return sorted({int(step) for step in np.linspace(1, _PAST_PEAK * max(warmup, 2), _DRAWN)} | {warmup})


component = Function(
    "noam_lr",
    {"noam_lr": reference.noam_lr},
    ladder,
    title="The learning rate",
    reread="section 5.3, equation 3",
    workshop=workshop,
    compare=lambda got, expected, **_: near(got, expected, floor=1e-30),
    picture=pictures.curve("step", "learning rate", _places),
    only_listed=("factor",),
)
component.settles("factor")
component.settles("first_step")


def _at(**changed: Callable[..., int]) -> Callable[..., tuple[Call, ...]]:
    """Ask the case, and the case with some of its arguments computed anew."""

    def ask(**inputs: int) -> tuple[Call, ...]:
        return Call(inputs), Call({**inputs, **{name: new(**inputs) for name, new in changed.items()}})

    return ask


def _number(value: Any) -> float | None:
    array = as_array(value)
    return float(array) if array is not None and array.shape == () and array.dtype.kind in "fiu" else None


@component.check()
def matches_the_paper(got: Any, *, oracle: Oracle, **inputs: float) -> Found:
    """The rate is d_model^-0.5 · min(step^-0.5, step · warmup^-1.5)."""
    return near(got, oracle(**inputs), floor=1e-30)


def _early(**inputs: int) -> tuple[Call, ...]:
    warmup = inputs["warmup"]
    return tuple(Call({**inputs, "step": step}) for step in (1, max(2, warmup // 3 + 1), warmup - 1))


@component.check(ask=_early, on=lambda case: case.inputs["warmup"] > 7, most=3)
def rises_in_a_line(first: Any, middle: Any, last: Any, warmup: int, *, oracle: Oracle, **others: float) -> Found:
    """During warm-up the rate grows by the same amount at each step."""
    values = [_number(value) for value in (first, middle, last)]
    if any(value is None for value in values):
        return other_kind(first, "a number")
    low, mid, high = (value or 0.0 for value in values)
    steps = (1, max(2, warmup // 3 + 1), warmup - 1)
    want = low + (mid - low) * (steps[2] - steps[0]) / (steps[1] - steps[0])
    found = near(np.asarray(high), np.asarray(want), floor=1e-30, dtype=COARSE)
    if mid > low and found:
        return None
    return _at_steps(
        f"is {low:.4g}, {mid:.4g} and {high:.4g} at steps {steps[0]}, {steps[1]} and {steps[2]}: not a rising line",
        (low, mid, high),
        [{**others, "step": at, "warmup": warmup} for at in steps],
        oracle,
    )


def _at_steps(message: str, got: Sequence[float], asked: Sequence[Mapping[str, float]], oracle: Oracle) -> Comparison:
    """What several calls gave beside what they should give: one of them alone may be right."""
    return Comparison(False, message, np.array([oracle(**inputs) for inputs in asked]), np.array(got))


@component.check(ask=lambda **kw: (Call(kw), *(Call({**kw, "step": kw["step"] + by}) for by in (-1, 1))),
                 on="peak")  # fmt: skip
def peaks_where_warmup_ends(peak: Any, before: Any, after: Any, step: int, *, oracle: Oracle, **others: int) -> Found:
    """The rate is highest at step = warmup."""
    top, left, right = (_number(value) for value in (peak, before, after))
    if top is None or left is None or right is None:
        return other_kind(peak, "a number")
    want = [oracle(step=step + by, **others) for by in (-1, 0, 1)]
    if np.argmax((left, top, right)) == np.argmax(want) and top > 0:
        return None
    return _at_steps(
        f"is {left:.4g}, {top:.4g} and {right:.4g} at steps {step - 1}, {step} and {step + 1}",
        (left, top, right),
        [{"step": step + by, **others} for by in (-1, 0, 1)],
        oracle,
    )


@component.check(ask=lambda **kw: tuple(Call({**kw, "step": 50 * kw["warmup"] * by}) for by in (1, 4)),
                 on=lambda case: case.inputs["warmup"] > 7, most=3)  # fmt: skip
def falls_with_the_root(got: Any, later: Any, warmup: int, *, oracle: Oracle, **others: float) -> Found:
    """After warm-up four times the step has half the rate."""
    one, other = _number(got), _number(later)
    if one is None or other is None:
        return other_kind(got, "a number")
    if one > 0 and abs(other / one - 0.5) <= LOOSE:
        return None
    return _at_steps(
        f"is {one:.4g} at step {50 * warmup} and {other:.4g} at step {200 * warmup}; expected half of it",
        (one, other),
        [{**others, "step": by * warmup, "warmup": warmup} for by in (50, 200)],
        oracle,
    )


@component.check(ask=_at(d_model=lambda d_model, **_: 4 * d_model), on=lambda case: case.inputs["step"] > 1)
def wider_models_learn_slower(got: Any, wider: Any, d_model: int, *, oracle: Oracle, **others: int) -> Found:
    """A model four times as wide has half the rate."""
    one, other = _number(got), _number(wider)
    if one is None or other is None:
        return other_kind(got, "a number")
    if one == other == 0 or (one > 0 and abs(other / one - 0.5) <= LOOSE):
        return None  # a rate of 0 is wrong, but not because of the width
    return _at_steps(
        f"is {one:.4g} for d_model = {d_model} and {other:.4g} for d_model = {4 * d_model}; expected half of it",
        (one, other),
        [{"d_model": width, **others} for width in (d_model, 4 * d_model)],
        oracle,
    )


@component.hook
def passes_factor(asked: Sequence[Mapping[str, Any]]) -> bool:
    """Whether another factor than 1 is asked for."""
    return any(inputs.get("factor", 1) != 1 for inputs in asked)


@component.hook
def _fitted_factor(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The one number that all rates are too large by, where there is one."""
    values = [(_number(a.value), reference.noam_lr(**a.call.inputs)) for a in evidence.answers if a.status == "value"]
    ratios = np.array([(got or 0.0) / want for got, want in values])
    if ratios.size and np.ptp(ratios) <= LOOSE * abs(ratios[0]):
        yield {"times": float(np.median(ratios))}
