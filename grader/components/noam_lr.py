"""The learning rate: linear warm-up, then a decay with the root of the step (section 5.3, equation 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Call, Case, Component, Evidence, Found
from grader.properties import Comparison, as_array, describe, near

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


def _case(step: int, d_model: int, warmup: int, why: str, tag: str, *, fixed: bool = False) -> Case:
    return Case({"step": step, "d_model": d_model, "warmup": warmup}, why, frozenset({tag}), fixed=fixed)


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
    *,
    shift: int = 0,
    width: float = -0.5,
    rise: float = 1.0,
    warm: float = -1.5,
    decay: float = -0.5,
    branch: str = "min",
    after: str = "root",
    factor: float = 1.0,
    width_on: str = "both",
    swap: str = "",
    whole: bool = False,
) -> float:
    """The oracle with knobs; every default is the paper's choice.

    ``after`` other than ``root`` keeps the peak and goes on in another way from there.
    """
    if swap == "step":
        step, warmup = warmup, step
    if swap == "width":
        d_model, warmup = warmup, d_model
    step += shift
    if step <= 0:
        return 0.0
    scale = factor * d_model**width
    if step > warmup and after != "root":
        return float(scale * warmup**-0.5 * _after(after, step, warmup))
    rising = step // warmup * warmup**-0.5 if whole else step**rise * warmup**warm
    falling = step**decay
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
        "from_the_peak": (step - warmup) ** -0.5 * warmup**0.5,
    }
    return share[after]


component = Component(
    "noam_lr",
    {"noam_lr": reference.noam_lr},
    ladder,
    title="The learning rate",
    reread="section 5.3, equation 3",
    workshop=workshop,
    compare=lambda got, expected, **_: near(got, expected, floor=1e-30),
)


def _at(**changed: Callable[..., int]) -> Callable[..., tuple[Call, ...]]:
    """Ask the case, and the case with some of its arguments computed anew."""

    def ask(**inputs: int) -> tuple[Call, ...]:
        return Call(inputs), Call({**inputs, **{name: new(**inputs) for name, new in changed.items()}})

    return ask


def _number(value: Any) -> float | None:
    array = as_array(value)
    return float(array) if array is not None and array.shape == () and array.dtype.kind in "fiu" else None


@component.check()
def matches_the_paper(got: Any, step: int, d_model: int, warmup: int) -> Found:
    """The rate is d_model^-0.5 · min(step^-0.5, step · warmup^-1.5)."""
    return near(got, reference.noam_lr(step, d_model, warmup), floor=1e-30)


def _early(**inputs: int) -> tuple[Call, ...]:
    warmup = inputs["warmup"]
    return tuple(Call({**inputs, "step": step}) for step in (1, max(2, warmup // 3 + 1), warmup - 1))


@component.check(ask=_early, on=lambda case: case.inputs["warmup"] > 7, most=3)
def rises_in_a_line(first: Any, middle: Any, last: Any, step: int, d_model: int, warmup: int) -> Found:  # noqa: ARG001 - the case's names
    """During warm-up the rate grows by the same amount at each step."""
    values = [_number(value) for value in (first, middle, last)]
    if any(value is None for value in values):
        return f"returned {describe(first)}; expected a number"
    low, mid, high = (value or 0.0 for value in values)
    steps = (1, max(2, warmup // 3 + 1), warmup - 1)
    want = low + (mid - low) * (steps[2] - steps[0]) / (steps[1] - steps[0])
    found = near(np.asarray(high), np.asarray(want), floor=1e-30, dtype=np.dtype(np.float32))
    if mid > low and found:
        return None
    return Comparison(
        False,
        f"is {low:.4g}, {mid:.4g} and {high:.4g} at steps {steps[0]}, {steps[1]} and {steps[2]}: not a rising line",
        np.asarray(want),
        np.asarray(high),
    )


@component.check(ask=lambda **kw: (Call(kw), *(Call({**kw, "step": kw["step"] + by}) for by in (-1, 1))),
                 on=lambda case: "peak" in case.tags)  # fmt: skip
def peaks_where_warmup_ends(peak: Any, before: Any, after: Any, step: int, **_: int) -> Found:
    """The rate is highest at step = warmup."""
    top, left, right = (_number(value) for value in (peak, before, after))
    if top is None or left is None or right is None:
        return f"returned {describe(peak)}; expected a number"
    if top >= left and top >= right:
        return None
    return f"is {left:.4g}, {top:.4g} and {right:.4g} at steps {step - 1}, {step} and {step + 1}"


@component.check(ask=lambda **kw: tuple(Call({**kw, "step": 50 * kw["warmup"] * by}) for by in (1, 4)),
                 on=lambda case: case.inputs["warmup"] > 7, most=3)  # fmt: skip
def falls_with_the_root(got: Any, later: Any, warmup: int, **_: int) -> Found:
    """After warm-up four times the step has half the rate."""
    one, other = _number(got), _number(later)
    if one is None or other is None:
        return f"returned {describe(got)}; expected a number"
    if one > 0 and abs(other / one - 0.5) <= LOOSE:
        return None
    return f"is {one:.4g} at step {50 * warmup} and {other:.4g} at step {200 * warmup}; expected half of it"


@component.check(ask=_at(d_model=lambda d_model, **_: 4 * d_model), on=lambda case: case.inputs["step"] > 1)
def wider_models_learn_slower(got: Any, wider: Any, d_model: int, **_: int) -> Found:
    """A model four times as wide has half the rate."""
    one, other = _number(got), _number(wider)
    if one is None or other is None:
        return f"returned {describe(got)}; expected a number"
    if one == other == 0 or (one > 0 and abs(other / one - 0.5) <= LOOSE):
        return None  # a rate of 0 is wrong, but not because of the width
    return f"is {one:.4g} for d_model = {d_model} and {other:.4g} for d_model = {4 * d_model}; expected half of it"


_FORMULA = "Compare your line with equation 3, term by term: three exponents and one minimum."

component.fault(
    "noam-step-off-by-one",
    "The schedule counts one step behind, so that the first update has rate 0.",
    shift=-1,
    nudge="Which rate does the very first update use? Does anything move?",
    hint="Steps count from 1 here: the rate at step 1 is d_model^-0.5 · warmup^-1.5.",
    explanation="With one subtracted, step 1 gives 0 and the peak comes one step late; a loop that counts from 0 has "
    "to add one, not the schedule.",
)
component.fault(
    "noam-step-one-ahead",
    "The schedule counts one step ahead.",
    shift=1,
    nudge="At which step is your rate highest?",
    hint="Steps count from 1 here, so nothing has to be added to the step.",
    explanation="Adding one is right for loops that count from 0. Here the first step is 1, and the peak would come at "
    "warmup - 1.",
)
for _knobs in ({"after": "growing"}, {"decay": 0.5}):
    component.fault(
        "noam-decay-keeps-growing",
        "After warm-up the rate keeps growing.",
        nudge="Is the rate at four times warmup larger or smaller than at warmup?",
        hint="Look at the sign of the exponent in the branch that is meant to decay.",
        explanation="The decay is step^-0.5. With the sign lost the rate grows with the root of the step for ever, and "
        "training falls apart long after warm-up looked fine.",
        **_knobs,
    )
component.fault(
    "noam-max-for-min",
    "The larger of the two branches is taken.",
    branch="max",
    nudge="Which of the two terms should win at step 1?",
    hint="At step 1 the decaying term is 1 and the rising one is tiny: which one is the warm-up?",
    explanation="The rising branch is the smaller one before the peak and the decaying branch after it, so the minimum "
    "joins them. With the maximum training starts at the highest rate of all.",
)
for _branch, _id, _title in (
    ("rise", "noam-never-decays", "The rate rises for ever: there is no decay."),
    ("decay", "noam-no-warmup", "The rate only decays: there is no warm-up."),
    ("sum", "noam-adds-branches", "The two branches are added."),
    ("product", "noam-multiplies-branches", "The two branches are multiplied."),
):
    component.fault(
        _id,
        _title,
        branch=_branch,
        nudge="Draw the rate over the first ten thousand steps. Where is its corner?",
        hint=_FORMULA,
        explanation="Equation 3 takes the minimum of step^-0.5 and step · warmup^-1.5: the second holds before the "
        "peak, the first after it.",
    )
for _width, _id, _title in (
    (0.5, "noam-width-exponent-sign", "The rate grows with the root of d_model."),
    (0.0, "noam-width-missing", "The rate does not depend on d_model."),
    (-1.0, "noam-width-not-rooted", "The rate is divided by d_model and not by its root."),
    (1.0, "noam-width-not-rooted", "The rate is multiplied by d_model."),
    (-1.5, "noam-width-not-rooted", "The rate has d_model to the power -1.5."),
):
    component.fault(
        _id,
        _title,
        width=_width,
        nudge="Should a wider model learn with a larger or a smaller rate, and by how much?",
        hint="The factor in front of the minimum is d_model to the power -0.5.",
        explanation="The factor is d_model^-0.5: a model four times as wide has half the rate at every step.",
    )
component.fault(
    "noam-width-on-one-branch",
    "The factor d_model^-0.5 multiplies the decaying branch only.",
    width_on="decay",
    nudge="Which terms does the factor in front of the minimum multiply?",
    hint="Check the parentheses around the minimum.",
    explanation="The factor stands in front of the minimum and scales the whole schedule. Inside the first argument "
    "alone it moves the peak.",
)
for _warm, _rise, _id, _title in (
    (0.0, 1.0, "noam-warmup-exponent", "The factor warmup^-1.5 is missing."),
    (-0.5, 1.0, "noam-warmup-exponent", "The warm-up has the exponent -0.5 and not -1.5."),
    (-1.0, 1.0, "noam-warmup-exponent", "The warm-up has the exponent -1 and not -1.5."),
    (-2.0, 1.0, "noam-warmup-exponent", "The warm-up has the exponent -2 and not -1.5."),
    (1.5, 1.0, "noam-warmup-exponent", "The warm-up has the exponent 1.5 and not -1.5."),
    (-1.0, 0.5, "noam-warmup-with-the-root", "The warm-up rises with the root of the step."),
    (-2.5, 2.0, "noam-warmup-with-the-square", "The warm-up rises with the square of the step."),
    (-1.5, 0.5, "noam-warmup-with-the-root", "The step has the power 0.5 in the rising branch."),
    (-1.5, 0.0, "noam-warmup-without-step", "The rising branch has no step in it."),
    (-1.5, -0.5, "noam-warmup-without-step", "The rising branch has step^-0.5 in it and not the step."),
):
    component.fault(
        _id,
        _title,
        warm=_warm,
        rise=_rise,
        nudge="At step = warmup both branches should be equal. Are yours?",
        hint="The rising branch is step · warmup^-1.5.",
        explanation="Put step = warmup into step · warmup^-1.5: warmup^-0.5, which is just where the decay begins. Any "
        "other exponent puts the corner elsewhere.",
    )
for _after_peak, _id, _title in (
    ("constant", "noam-constant-after-warmup", "After warm-up the rate stays at its peak."),
    ("inverse", "noam-decays-with-the-step", "After warm-up the rate falls with the step and not with its root."),
    ("squared", "noam-decays-with-the-square", "After warm-up the rate falls with the square of the step."),
    ("linear", "noam-linear-decay", "After warm-up the rate falls in a line to zero."),
    ("exponential", "noam-exponential-decay", "After warm-up the rate falls exponentially."),
    ("from_the_peak", "noam-decay-counts-from-the-peak", "The decay counts its steps from the end of the warm-up."),
):
    component.fault(
        _id,
        _title,
        after=_after_peak,
        nudge="By how much should the rate have fallen at four times warmup?",
        hint="The decaying branch is step^-0.5, with the step counted from the start of training.",
        explanation="After the peak the rate is proportional to step^-0.5: half of the peak at four times warmup, a "
        "third at nine times.",
    )
for _decay in (-1.0, -0.25, -2.0, -1.5):
    component.fault(
        "noam-decay-exponent",
        f"The decaying branch has the exponent {_decay:g} and not -0.5.",
        decay=_decay,
        nudge="At step = warmup both branches should be equal. Are yours?",
        hint="The decaying branch is step^-0.5.",
        explanation="The decay is the inverse root of the step. With another exponent the branches meet elsewhere, and "
        "the peak moves.",
    )


def _factors(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The one number that all rates are too large by, where there is one."""
    values = [(_number(a.value), reference.noam_lr(**a.call.inputs)) for a in evidence.answers if a.status == "value"]
    ratios = np.array([(got or 0.0) / want for got, want in values])
    if ratios.size and np.ptp(ratios) <= LOOSE * abs(ratios[0]):
        yield {"factor": float(np.median(ratios))}


component.fault(
    "noam-extra-factor",
    "The whole schedule is multiplied by a number.",
    factor=2.0,
    fit=_factors,
    told="The whole schedule is multiplied by {factor:.4g}.",
    nudge="Your curve has the right form. Is its height right?",
    hint="Equation 3 has no factor besides d_model^-0.5.",
    explanation="Some code bases tune the height of the peak with a factor of their own; the paper has none.",
)
component.fault(
    "noam-step-and-warmup-swapped",
    "The step and the warm-up have changed places.",
    swap="step",
    nudge="Which of the three arguments changes during training?",
    hint="The step comes first, then d_model, then the warm-up.",
)
component.fault(
    "noam-width-and-warmup-swapped",
    "d_model and the warm-up have changed places.",
    swap="width",
    nudge="In which order do the arguments come?",
    hint="The step comes first, then d_model, then the warm-up.",
)
component.fault(
    "noam-integer-division",
    "The step is divided by the warm-up in whole numbers.",
    whole=True,
    nudge="What is 3 // 8 in Python?",
    hint="Use / where a fraction is meant.",
    explanation="Whole-number division makes the rate 0 until the last step of the warm-up.",
)
