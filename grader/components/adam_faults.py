"""One step of Adam as students get it wrong: the oracle with knobs, and what to say about each setting."""

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
    swapped: bool = False,
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
    if swapped:
        b1, b2 = b2, b1
    grads = grads + decay * params
    new_m = _mean(m, grads, b1, means)
    squared = {
        "plain": grads,
        "size": np.abs(grads),
        "mean": new_m**2,
        "old": m**2,
        "surprise": (grads - new_m) ** 2,
        "old surprise": (grads - m) ** 2,
    }.get(squares, grads**2)
    new_v = np.maximum(v, _mean(v, squared, b2, means)) if squares == "max" else _mean(v, squared, b2, means)
    hat_m = new_m / _correction(b1, step + shift, power) if correct in {"both", "m"} else new_m
    hat_v = new_v / _correction(b2, step + shift, power) if correct in {"both", "v"} else new_v
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


_DEFAULTS = ((0.9, 0.98, 1e-9), (0.9, 0.999, 1e-9), (0.9, 0.999, 1e-8))

SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "adam-no-bias-correction",
        """The means are not corrected for their start at zero.
? How large is the first mean of the gradient after one step, compared with the gradient?
> Divide both means by 1 - beta^step before they are used.
= Both means start at zero and are far too small at first. The correction makes the first step as long as lr, whatever
the betas.""",
        {"correct": "none"},
    ),
    (
        "adam-one-correction-missing",
        """Only one of the two means is corrected for its start at zero.
? Which of the two means start at zero?
> Both are divided by 1 - beta^step, each with its own beta.
= With only one correction the first steps are too long or too short by the root of 1 - beta2, or by 1 - beta1.""",
        {"correct": "m"},
        {"correct": "v"},
    ),
    (
        "adam-correction-without-power",
        """The correction divides by 1 - beta and not by 1 - beta^step.
? What should the correction be after a thousand steps?
> beta has the step as its exponent there.
= 1 - beta^step grows to 1, so the correction fades out. Without the exponent it stays for ever, and every step is
wrong.""",
        {"power": "one"},
    ),
    (
        "adam-correction-multiplies-step",
        """The correction has beta times step where beta to the power of step belongs.
? What is 1 - 0.9 · 20?
> In Python the power is **.
= beta^step shrinks to zero, and beta · step grows without end.""",
        {"power": "times"},
    ),
    (
        "adam-step-off-by-one",
        """The correction counts the steps off by one.
? What does the correction divide by at the very first step?
> step counts from 1 here: use it as it is.
= At step 1 the means hold one gradient with weight 1 - beta, so they are divided by 1 - beta^1. With step - 1 that is
a division by zero, with step + 1 the first step is too short.""",
        {"shift": 1},
        {"shift": -1},
    ),
    (
        "adam-eps-inside-root",
        """eps is added under the root.
? Which is larger: the root of eps, or eps?
> The denominator is sqrt(v) + eps.
= Under the root an eps of 1e-9 acts like 3e-5. Small gradients are then held back far more than they should.""",
        {"eps_at": "inside"},
    ),
    (
        "adam-eps-missing",
        """There is no eps in the denominator.
? What happens to a parameter whose gradient has always been zero?
> Add eps to the root.
= With a zero gradient both means are zero, and 0/0 is not a number. eps makes that 0.""",
        {"eps_at": "missing"},
    ),
    (
        "adam-eps-as-floor",
        """eps is a lower bound of the denominator and not added to it.
? What is the denominator where the root equals eps?
> The denominator is sqrt(v) + eps.""",
        {"eps_at": "floor"},
    ),
    (
        "adam-betas-swapped",
        """The two betas have changed places.
? Which of the two means has the longer memory?
> beta1 goes with the gradients, beta2 with their squares.
= The paper takes beta1 = 0.9 for the gradient and beta2 = 0.98 for its square, which is meant to change slowly.""",
        {"swapped": True},
    ),
    (
        "adam-shares-swapped",
        """The old mean has the weight 1 - beta, and the new gradient beta.
? With beta = 0.9, how much should one new gradient change the mean?
> beta is the weight of what is already there.
= A running mean with beta = 0.9 keeps nine tenths of the old value. Turned round it forgets nearly all of it.""",
        {"means": "turned"},
    ),
    (
        "adam-means-are-sums",
        """The new gradient enters the means with its full weight.
? Do the two weights in your running mean add up to 1?
> The new value has the weight 1 - beta.
= Without the factor 1 - beta this is momentum: the means become ten or fifty times too large, and the correction
does not fit them.""",
        {"means": "sum"},
        {"means": "all"},
    ),
    (
        "adam-forgets-the-past",
        """The old means are not used.
? Where do the arguments m and v enter?
> The new mean is beta times the old one and 1 - beta times the new value.""",
        {"means": "forgets"},
        {"means": "latest"},
    ),
    (
        "adam-gradient-not-squared",
        """The second mean is not one of squared gradients.
? What is v the mean of?
> v runs over the squares of the gradients, entry by entry.
= v estimates the mean square, so that its root has the size of a gradient. Without the square it may be negative,
and the root fails.""",
        {"squares": "plain"},
        {"squares": "plain", "root": "sqrt of the size"},
        {"squares": "size"},
        {"squares": "mean"},
        {"squares": "old"},
    ),
    (
        "adam-squares-of-the-difference",
        """The second mean is one of squared differences from the first mean.
? What does v become where every gradient is the same?
> v runs over the squares of the gradients themselves.
= The squared distance from the mean makes v a variance, as in AdaBelief, a later variant. Adam takes the
mean of g².""",
        {"squares": "surprise"},
        {"squares": "old surprise"},
    ),
    (
        "adam-keeps-the-maximum",
        """The second mean never falls.
? What should v do when the gradients become small?
> This is a plain running mean, without a maximum.
= Keeping the maximum is AMSGrad, a later variant.""",
        {"squares": "max"},
    ),
    (
        "adam-no-root",
        """The step is divided by v and not by its root.
? Which unit has v, and which has m?
> The denominator is the root of v.
= m has the unit of a gradient, v that of its square. Only m / sqrt(v) is free of the scale of the gradient.""",
        {"root": "none"},
    ),
    (
        "adam-wrong-sign",
        """The step goes up the gradient.
? Does the loss fall when a parameter moves along its gradient?
> The step is subtracted.
= The gradient points to where the loss grows, so the parameters move against it.""",
        {"direction": 1.0},
    ),
    (
        "adam-moves-by-the-gradient",
        """The step follows the newest gradient and not the mean of all.
? Where is m used in your update?
> The numerator is the corrected first mean.""",
        {"moves": "gradient"},
        {"moves": "nesterov"},
    ),
    (
        "adam-uses-old-means",
        """The step uses the means from before this gradient.
? In which order are the means and the parameters updated?
> First both means take in the new gradient, then the parameters move.""",
        {"moves": "old"},
        {"moves": "both old"},
    ),
    (
        "adam-weight-decay",
        """A weight decay is mixed into the gradient.
? Do the parameters change where the gradient and both means are zero?
> The paper's Adam has no weight decay.""",
        {"decay": 0.01},
        {"decay": 0.1},
        {"decay": 1e-4},
    ),
    (
        "adam-weight-decay",
        """The parameters shrink a little in every step: that is AdamW.
? Do the parameters change where the gradient and both means are zero?
> The paper's Adam has no weight decay.""",
        *({"shrinks": shrinks} for shrinks in (0.01, 0.1, 1e-3, 1e-4)),
    ),
    (
        "adam-wrong-defaults",
        """The settings left out are not the paper's.
? Which beta2 and eps does section 5.3 give?
> The paper takes beta1 = 0.9, beta2 = 0.98 and eps = 1e-9.
= Many libraries have beta2 = 0.999 and eps = 1e-8. The paper chose a shorter memory for the squares.""",
        {"defaults": (0.9, 0.999, 1e-9)},
        {"defaults": (0.9, 0.98, 1e-8)},
        {"defaults": (0.9, 0.999, 1e-8)},
        {"defaults": (0.9, 0.999, 1e-7)},
        {"defaults": (0.9, 0.98, 1e-6)},
        {"defaults": (0.9, 0.99, 1e-8)},
    ),
    (
        "adam-settings-ignored",
        """Settings that are passed in, betas or eps, are not used.
? What changes in your result when beta1, beta2 or eps changes?
> Use the arguments, not numbers written into the body.""",
        *({"fixed": "beta1, beta2, eps", "defaults": defaults} for defaults in _DEFAULTS),
        *({"fixed": "beta1, beta2", "defaults": defaults} for defaults in _DEFAULTS[:2]),
        *({"fixed": "beta2", "defaults": defaults} for defaults in _DEFAULTS[:2]),
        *({"fixed": "eps", "defaults": (0.9, 0.98, eps)} for eps in (1e-9, 1e-8)),
    ),
    (
        "adam-returns-corrected-means",
        """The corrected means are returned.
? What will the next step do with the means that you return?
> Keep the corrected means for the update, and return the plain ones.
= The next step corrects again. Returned corrected, the means would be divided twice.""",
        {"returned": "corrected"},
    ),
    (
        "adam-wrong-result",
        """The three results are not (params, m, v).
? In which order does the caller expect the three results?
> Return the new parameters, the new m and the new v.""",
        {"returned": "swapped"},
        {"returned": "means_first"},
        {"returned": "params"},
        {"returned": "update"},
    ),
    (
        "adam-returns-old-means",
        """The means are returned as they came in.
? What does the next step know of this gradient?
> Return the means that you have just computed.""",
        {"returned": "old"},
    ),
    (
        "adam-updates-in-place",
        """The caller's arrays are overwritten.
? Are the arguments the same before and after the call?
> Operators such as `m *= beta1` work in place.
= The caller's parameters and means are gone after the call. Write `m = beta1 * m + …`, which makes a new array.""",
        {"in_place": "all"},
        {"in_place": "params"},
        {"in_place": "means"},
    ),
)
"""Id, texts, and the settings of the workshop that make the mistake."""
