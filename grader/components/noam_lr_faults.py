"""The learning rate as students get it wrong: the oracle with knobs, and what to say about each setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
    fixed: Mapping[str, int] | None = None,
    whole: bool = False,
) -> float:
    """The oracle with knobs; every default is the paper's choice.

    ``after`` other than ``root`` keeps the peak and goes on in another way from there.
    """
    if swap == "step":
        step, warmup = warmup, step
    if swap == "width":
        d_model, warmup = warmup, d_model
    d_model, warmup = (fixed or {}).get("d_model", d_model), (fixed or {}).get("warmup", warmup)
    step += shift
    if step <= 0:
        return 0.0
    scale = factor * d_model**width
    if step > warmup and after != "root":
        return float(scale * warmup**-0.5 * _after(after, step, warmup))
    rising = step // warmup * warmup**-0.5 if whole else step**rise * warmup**warm
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
        "from_the_peak": (step - warmup) ** -0.5 * warmup**0.5,
    }
    return share[after]


SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "noam-step-off-by-one",
        """The schedule counts one step behind, so that the first update has rate 0.
? Which rate does the very first update use? Does anything move?
> Steps count from 1 here: the rate at step 1 is d_model^-0.5 · warmup^-1.5.
= With one subtracted, step 1 gives 0 and the peak comes one step late. A loop that counts from 0 has to add one, not
the schedule.""",
        {"shift": -1},
    ),
    (
        "noam-step-one-ahead",
        """The schedule counts one step ahead.
? At which step is your rate highest?
> Steps count from 1 here, so nothing has to be added to the step.
= Adding one is right for loops that count from 0. Here the first step is 1, and the peak would come at warmup - 1.""",
        {"shift": 1},
    ),
    (
        "noam-decay-keeps-growing",
        """After warm-up the rate keeps growing.
? Is the rate at four times warmup larger or smaller than at warmup?
> Look at the sign of the exponent in the branch that is meant to decay.
= The decay is step^-0.5. With the sign lost the rate grows with the root of the step for ever, and training falls apart
long after warm-up looked fine.""",
        {"after": "growing"},
        {"decay": 0.5},
    ),
    (
        "noam-max-for-min",
        """The larger of the two branches is taken.
? Which of the two terms should win at step 1?
> At step 1 the decaying term is 1 and the rising one is tiny: which one is the warm-up?
= The rising branch is the smaller one before the peak and the decaying branch after it, so the minimum joins them. With
the maximum training starts at the highest rate of all.""",
        {"branch": "max"},
    ),
    *(
        (
            name,
            f"""{title}
? Draw the rate over the first ten thousand steps. Where is its corner?
> Compare your line with equation 3, term by term: three exponents and one minimum.
= Equation 3 takes the minimum of step^-0.5 and step · warmup^-1.5: the second holds before the peak, the first after
it.""",
            {"branch": branch},
        )
        for branch, name, title in (
            ("rise", "noam-never-decays", "The rate rises for ever: there is no decay."),
            ("decay", "noam-no-warmup", "The rate only decays: there is no warm-up."),
            ("sum", "noam-adds-branches", "The two branches are added."),
            ("product", "noam-multiplies-branches", "The two branches are multiplied."),
        )
    ),
    *(
        (
            name,
            f"""{title}
? Should a wider model learn with a larger or a smaller rate, and by how much?
> The factor in front of the minimum is d_model to the power -0.5.
= The factor is d_model^-0.5: a model four times as wide has half the rate at every step.""",
            {"width": width},
        )
        for width, name, title in (
            (0.5, "noam-width-exponent-sign", "The rate grows with the root of d_model."),
            (0.0, "noam-width-missing", "The rate does not depend on d_model."),
            (-1.0, "noam-width-not-rooted", "The rate is divided by d_model and not by its root."),
            (1.0, "noam-width-not-rooted", "The rate is multiplied by d_model."),
            (-1.5, "noam-width-not-rooted", "The rate has d_model to the power -1.5."),
        )
    ),
    (
        "noam-width-on-one-branch",
        """The factor d_model^-0.5 multiplies the decaying branch only.
? Which terms does the factor in front of the minimum multiply?
> Check the parentheses around the minimum.
= The factor stands in front of the minimum and scales the whole schedule. Inside the first argument alone it moves the
peak.""",
        {"width_on": "decay"},
    ),
    *(
        (
            name,
            f"""{title}
? At step = warmup both branches should be equal. Are yours?
> The rising branch is step · warmup^-1.5.
= Put step = warmup into step · warmup^-1.5: warmup^-0.5, which is just where the decay begins. Any other exponent puts
the corner elsewhere.""",
            *({"warm": warm, "rise": rise, "branch": branch} for branch in ("min", "if <", "if <=")),
        )
        for warm, rise, name, title in (
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
        )
    ),
    *(
        (
            name,
            f"""{title}
? By how much should the rate have fallen at four times warmup?
> The decaying branch is step^-0.5, with the step counted from the start of training.
= After the peak the rate is proportional to step^-0.5: half of the peak at four times warmup, a third at nine
times.""",
            {"after": after},
        )
        for after, name, title in (
            ("constant", "noam-constant-after-warmup", "After warm-up the rate stays at its peak."),
            (
                "inverse",
                "noam-decays-with-the-step",
                "After warm-up the rate falls with the step and not with its root.",
            ),
            ("squared", "noam-decays-with-the-square", "After warm-up the rate falls with the square of the step."),
            ("linear", "noam-linear-decay", "After warm-up the rate falls in a line to zero."),
            ("exponential", "noam-exponential-decay", "After warm-up the rate falls exponentially."),
            ("from_the_peak", "noam-decay-counts-from-the-peak", "The decay counts its steps from the end of warm-up."),
        )
    ),
    *(
        (
            "noam-decay-exponent",
            f"""The decaying branch has the exponent {decay:g} and not -0.5.
? At step = warmup both branches should be equal. Are yours?
> The decaying branch is step^-0.5.
= The decay is the inverse root of the step. With another exponent the branches meet elsewhere, and the peak moves.""",
            *({"decay": decay, "branch": branch} for branch in ("min", "if <", "if <=")),
        )
        for decay in (-1.0, -0.25, -2.0, -1.5)
    ),
    (
        "noam-step-and-warmup-swapped",
        """The step and the warm-up have changed places.
? Which of the three arguments changes during training?
> The step comes first, then d_model, then the warm-up.""",
        {"swap": "step"},
    ),
    (
        "noam-width-and-warmup-swapped",
        """The width and the warm-up have changed places.
? In which order do the arguments come?
> The step comes first, then d_model, then the warm-up.""",
        {"swap": "width"},
    ),
    *(
        (
            "noam-width-hardcoded",
            f"""d_model is {width} whatever is passed.
? Call your function with two widths. Does the rate differ?
> Look for a number where the argument d_model belongs.
= The paper's base model has 512 features; your function is given its own d_model.""",
            {"fixed": {"d_model": width}},
        )
        for width in (512, 256, 1024, 64, 128)
    ),
    *(
        (
            "noam-warmup-hardcoded",
            f"""The warm-up has {steps} steps whatever is passed.
? Call your function with two warm-ups. Does the rate differ?
> Look for a number where the argument warmup belongs.
= The paper warms up for 4000 steps; your function is given the number.""",
            {"fixed": {"warmup": steps}},
        )
        for steps in (4000, 1000, 2000, 8000, 400)
    ),
    (
        "noam-no-warmup",
        """The rate is constant until the warm-up ends.
? What should the rate be at step 1, and what at step = warmup?
> Look for a max() of step and warmup: what does it give at step 1?
= max(step, warmup)^-0.5 joins a flat line with the decay. The warm-up rises in a line from the first step.""",
        {"rise": 0.0, "warm": -0.5},
    ),
    (
        "noam-integer-division",
        """The step is divided by the warm-up in whole numbers.
? What is 3 // 8 in Python?
> Use / where a fraction is meant.
= Whole-number division makes the rate 0 until the last step of the warm-up.""",
        {"whole": True},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""
