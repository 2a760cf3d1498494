"""Cases in which every query may see one key alone, and scores are huge: a fill that is not low enough shows.

The right weights are then exactly 1 and 0, whatever the scores are, so that rounding plays no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from grader.blocks.checks import equality
from grader.blocks.mask_axes import in_axes
from grader.blocks.programs import Making
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED, finding
from grader.model.outcome import Outcome, Verdict
from grader.paper.softmax import OVERFLOWS
from grader.paper.weights import Array

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

FAR, SAMPLES = 20.0, 16
"""Inputs of this size give scores of up to some thousands, of both signs; in so many samples some are below -1000.

A fill of -10000, as much published code has it, stays below them, whether it is put in place or added: the hand-out
does not say how low a fill has to be in a module.
"""
UNMASKED = 0.7
"""How much smaller inputs are where no mask leaves one key alone: exp() overflows, and scores keep enough digits."""
_BESIDE = (0.0, 1e-9, 1e-8, 1e-12, 1e-10, 1e-6, 1e-7, 1e-5, 1e-20, 1e-30)
"""What is added to a sum that may vanish, or the least that it is taken for."""
_VANISHING = 1e-45
"""Below the smallest number of float32."""
_WHY = "huge scores, and a mask that shows every query one key"
_VANISHED = (
    "Weights are masked after the softmax and divided by their sum, which vanishes where scores are huge: "
    "no points are lost for that"
)


def lone(rng: np.random.Generator, n: int, m: int, *, causal: bool = False) -> Array:
    """A mask ``(n, m)`` with one True in each row; never after the row's own position where ``causal``."""
    mask = np.zeros((n, m), dtype=bool)
    for row in range(n):
        mask[row, rng.integers(0, min(row + 1, m) if causal else m)] = True
    return mask


def steep(inputs: Mapping[str, Array | None], making: Making) -> tuple[Case, ...]:
    """The case of those inputs, with their masks in a shape that the hand-out promises; none where it has no such."""
    given = dict(inputs)
    for name, mask in inputs.items():
        if "mask" in name and mask is not None and not making.promises(("n", "m"), name):
            fitting = [axes for axes in making.axes(name) if "n" in axes and "m" in axes]
            if not fitting:
                return ()
            given[name] = in_axes(mask[None, None], fitting[0], (SAMPLES, making.sizes.num_heads, *mask.shape))
    return (Case(given, _WHY, key="steep", plain=False),)


def stays_finite(keys: Sequence[str]) -> Check:
    """Huge scores where no mask is asked; of a module that cannot be read its numbers are only to be finite."""

    def unread(subject: Subject) -> Outcome:
        arrays = [subject.numbers(subject.replies[f"case:{key}"]) for key in subject.keys(keys)]
        finite = all(array is None or np.isfinite(array).all() for array in arrays)
        return PASSED if finite else finding(Verdict.FAILED, "the output for huge scores is not finite")

    return equality(
        "survives_large_scores",
        "The weights are right however large the scores are",
        keys,
        owns=lambda _, setting: setting == OVERFLOWS,
        unread=unread,
    )


def forgives_vanished_weights(check: Check, keys: Sequence[str]) -> Check:
    """Note, without loss of points, weights that are masked after the softmax and divided by their sum.

    That is equation 1 for all but huge scores, where the weights of what may be seen can vanish together.
    """

    def judge(subject: Subject) -> Outcome:
        found: Outcome = check.judge(subject)
        if found.verdict is not Verdict.FAILED or subject.reading is None:
            return found
        again = "after, shared again"
        ways = [(again, 0.0), *((f"{again} {how}", beside) for how in ("safely", "at least") for beside in _BESIDE)]
        for way, beside in ways:
            turned = {"sdpa.mask_time": way, "sdpa.beside": beside, "sdpa.vanishing": _VANISHING}
            knobs = {**subject.reading.knobs, **turned}
            there = subject.keys(keys)
            if all(subject.agrees(subject.case(key), subject.reading, knobs) for key in there):
                return replace(PASSED, passed=len(there), asked=len(there), notes=(_VANISHED,))
        return found

    return replace(check, judge=judge)
