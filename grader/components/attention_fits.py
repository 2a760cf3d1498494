"""Scaled dot-product attention: constants that can be read from a student's answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from grader.blocks.faults import WRITTEN, numbers_in
from grader.component.checks import Evidence
from grader.properties import Array, as_array


def _tagged(evidence: Evidence, tag: str) -> Iterable[tuple[Array, Array | None]]:
    """(output, second value) of plain answers to cases with ``tag``."""
    for answer in evidence.answers:
        if tag in answer.case.tags and answer.status == "value" and isinstance(answer.value, tuple | list):
            first, second = as_array(answer.value[0]), as_array(answer.value[1])
            given, asked = answer.case.inputs, answer.call.inputs
            if first is not None and given.keys() == asked.keys() and all(asked[name] is given[name] for name in given):
                yield first, second


Fit = Callable[[Evidence], Iterable[Mapping[str, Any]]]


def fitted_fill(lowest: float, highest: float) -> Fit:
    """The number that a blocked score is filled with, if it lies in the range; the case has two scores of 0."""

    def fit(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
        for output, weights in _tagged(evidence, "fill"):
            fill = -2 * float(np.arctanh(output.reshape(-1)[0] / 1000.0))
            if abs(fill) > 1e-3 and weights is not None:
                fill = float(np.log(weights.reshape(-1)[1] / weights.reshape(-1)[0]))
            # Where the mask is read the other way round, the same case shows the number with the other sign.
            for number in (float(f"{fill:.4g}"), fill, float(f"{-fill:.4g}"), -fill):
                if lowest <= number <= highest and number:
                    yield {"fill": number}
                    if abs(abs(number) - 1.0) > 1e-6:  # that is the boolean mask itself, added
                        yield {"fill": number, "mask_time": "lowered"}
                    yield {"fill": number, "fill_scaled": True}
                    yield {"fill": number, "fill_scaled": True, "mask_time": "lowered"}

    return fit


def fitted_more(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The constant beside the sum of the exponentials, from the case of two scores after a scale of 1/2: 2 and 0."""
    for _, weights in _tagged(evidence, "scale"):
        if weights is not None and weights.ndim == 2 and weights.shape[1] >= 2 and weights.dtype.kind == "f":
            more = float((1 / weights[0].sum() - 1) * (1 + np.exp(-2.0)))
            yield from ({"more": number} for number in (float(f"{more:.3g}"), more) if 1e-7 < number < 1.0)


def fitted_shown_fill(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The number in the place of a blocked score, where scores are returned instead of weights."""
    for _, scores in _tagged(evidence, "fill"):
        if scores is not None:
            yield {"second": "scores", "fill": float(scores.reshape(-1)[1])}


def fitted_scale(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The factor of the scores: the case has d_k = 4 and the scores 4 and 0 before scaling."""
    for factor in _factors(evidence):
        if min(abs(factor - usual) for usual in (0.0, 0.5, 1.0)) > 1e-6:  # no scores, right, and no scale at all
            yield from ({"scale": number} for number in (float(f"{factor:.6g}"), factor))


def fitted_times(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """What the scores are multiplied by besides 1/√d_k, which is 1/2 there."""
    for factor in _factors(evidence):
        times = float(f"{2 * factor:.6g}")
        if np.isfinite(times) and min(abs(times - usual) for usual in (0.0, 1.0)) > 1e-6:  # no scores, and right
            yield from ({"scale": ("root", number)} for number in (times, 2 * factor))


def fitted_part(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """What is divided by d_k, which is 4 there, where it is none of the common slips."""
    for factor in _factors(evidence):
        part = float(f"{4 * factor:.6g}")
        if np.isfinite(part) and min(abs(part - usual) for usual in (0.0, 0.5, 1.0, 2.0)) > 1e-4:
            yield from ({"scale": ("part", number)} for number in (part, 4 * factor))


def fitted_power(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The power of d_k that the scores are multiplied by, where it is none of the common slips."""
    for factor in _factors(evidence):
        power = float(f"{np.log(factor) / np.log(4.0):.6g}")
        if np.isfinite(power) and min(abs(power - usual) for usual in (-1.0, -0.5, 0.0, 0.5)) > 1e-4:
            yield {"scale": ("power", power)}
            for whole in range(3, 9):
                if abs(abs(power) * whole - 1) < 1e-5:  # a cube root and the like, exactly
                    yield {"scale": ("power", float(np.sign(power)) / whole)}


def fitted_more_in_the_scale(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The number beside d_k, or beside its root, in what the scores are divided by; d_k is 4 there."""
    for factor in _factors(evidence):
        for of, seen in (("root of more", factor**-2 - 4.0), ("root and more", 1 / factor - 2.0)):
            if np.isfinite(seen) and abs(seen) > 1e-4:
                yield {"scale": (of, float(f"{seen:.5g}"))}


def _factors(evidence: Evidence) -> Iterable[float]:
    for _, weights in _tagged(evidence, "scale"):
        if weights is not None and weights.ndim == 2 and weights.shape[1] >= 2 and weights.dtype.kind == "f":
            yield float(np.log(weights[0, 0] / weights[0, 1]) / 4.0)


def _written(fit: str, *scales: Callable[[float], Any]) -> Fit:
    """Scales made of a number that stands in the code, where no answer shows one by itself."""

    def fitted(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
        numbers = numbers_in("\n".join(module.source for module in evidence.modules))
        return ({"scale": scale(other)} for number in numbers for other in WRITTEN[fit](number) for scale in scales)

    return fitted


WRITTEN_SCALES: Mapping[str, Fit] = {
    "fitted_scale": _written("fitted_scale", float),
    "fitted_times": _written("fitted_times", lambda number: ("root", number)),
    "fitted_part": _written("fitted_part", lambda number: ("part", number)),
    "fitted_power": _written("fitted_power", lambda number: ("power", number)),
    "fitted_more_in_the_scale": _written(
        "fitted_more_in_the_scale", lambda more: ("root of more", more), lambda more: ("root and more", more)
    ),
}


def seen_or_written(fit: Fit) -> Fit:
    """What the answers show; where weights are not returned, what is written."""
    written = WRITTEN_SCALES[fit.__name__]
    return lambda evidence: [*fit(evidence)] or written(evidence)
