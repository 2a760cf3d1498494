"""Layer normalisation as a function (section 3.1; Ba et al. 2016): checks and misconceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component import Call, Case, Evidence, Found, Oracle, Watched, conventions, watched
from grader.component.conventions import AFFINE, EPS
from grader.components.any_call import arguments_unchanged, as_alone, first_and_last_alone, same_twice
from grader.components.layer_norm_workshop import workshop
from grader.judging.function import Function
from grader.properties import Comparison, as_array, near

COARSE = np.dtype(np.float32)


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """From one row to batches. ``domain``: ``ranks`` (1 to 4) of x, ``eps`` (false: never passed)."""
    ranks = set(domain.get("ranks", (1, 2, 3, 4)))
    plain = frozenset({"plain"})

    def draw(*lead: int, d_model: int = 4, size: float = 1.0) -> dict[str, Any]:
        return {
            "x": rng.normal(size=(*lead, d_model)) * size + rng.normal(size=(*lead, 1)) * size,
            "gain": rng.normal(size=d_model) + 2.0,
            "shift": rng.normal(size=d_model),
        }

    unit = {"gain": np.ones(2), "shift": np.zeros(2)}
    yield Case(
        {"x": np.array([[0.0, 4.0]]), **unit},
        "two numbers: one below the mean, one above",
        plain | {"unit"},
        fixed=True,
    )
    yield Case(
        {"x": np.array([[1.0, 2.0, 6.0]]), "gain": np.array([1.0, 2.0, 3.0]), "shift": np.array([0.0, 1.0, -1.0])},
        "a gain and a shift for each feature",
        plain | {"affine"},
        fixed=True,
    )
    yield Case(draw(2, size=3.0), "two rows", plain | {"affine"})
    yield Case(draw(5, d_model=3, size=4.0), "five rows of three", plain | {"affine"})
    yield Case(draw(4, size=2.0), "as many rows as features: only the values can tell", plain | {"affine"})
    yield Case(
        {"x": np.array([[0.0, 0.001], [0.002, 0.0]]), **unit},
        "values that differ by less than the root of eps",
        frozenset({"small"}),
        fixed=True,
    )
    yield Case(
        {"x": np.array([[3.0, 3.0]]), **unit}, "equal values: a variance of 0", frozenset({"constant"}), fixed=True
    )
    if domain.get("eps", True):
        yield Case({"x": np.array([[0.0, 2.0]]), **unit, "eps": 0.5}, "a large eps", frozenset({"eps"}), fixed=True)
        yield Case({**draw(4), "eps": 0.1}, "an eps of 0.1", frozenset({"eps"}))
    if 1 in ranks:
        yield Case(draw(size=2.0), "one row without an axis for it", frozenset({"rank"}))
    if 3 in ranks:
        sizes = np.array([1.0, 30.0, 0.5])[None, :, None]
        batch = draw(2, 3)
        yield Case(
            {**batch, "x": batch["x"] * sizes + sizes}, "a batch whose tokens differ in size", frozenset({"rank"})
        )
        batch = draw(4, 4)
        yield Case({**batch, "x": batch["x"] * 3.0}, "a batch with all sizes equal", frozenset({"rank"}))
    if 4 in ranks:
        yield Case(draw(2, 3, 2, d_model=5, size=3.0), "two leading axes", frozenset({"rank"}))
    whole = {"x": rng.integers(-5, 6, size=(4, 4)), "gain": np.array([1, 2, 1, 3]), "shift": np.array([0, 1, -1, 2])}
    yield Case(whole, "whole numbers", frozenset({"integer"}))


component = Function(
    "layer_norm",
    {"layer_norm": reference.layer_norm},
    ladder,
    title="Layer normalisation",
    reread="section 3.1",
    workshop=workshop,
    ranked=("x",),
)
component.settles(conventions.DEVIATION, {"biased": {}, "unbiased": {"degrees": 1}})
component.settles(
    conventions.EPS_PLACE,
    {"inside": {}, "outside": {"eps_at": "root"}},
    words={
        "outside": {
            "√(variance + eps)": "(√variance + eps)",
            "Values that differ by less than √eps are not blown up to size 1: eps is added to the variance.": (
                "eps is added to the deviation, beside the root."
            ),
        }
    },
)
component.settles(
    AFFINE,
    {"both": {}, "gain": {"affine": "no shift"}, "none": {"affine": "none"}},
    unused={"gain": ("shift",), "none": ("gain", "shift")},
    words={
        "gain": {
            "gain · (x - mean) / √(variance + eps) + shift": "gain · (x - mean) / √(variance + eps)",
            "is multiplied by its gain, and then its shift is added": "is multiplied by its gain",
            "give the shift, not NaN": "give 0, not NaN",
            "x, gain and shift are": "x and gain are",
        },
        "none": {
            "gain · (x - mean) / √(variance + eps) + shift": "(x - mean) / √(variance + eps)",
            "give the shift, not NaN": "give 0, not NaN",
            "x, gain and shift are": "x is",
        },
    },
    drops={
        "gain": frozenset({"ln-affine-misplaced", "ln-affine-before-norm"}),
        "none": frozenset({"ln-affine-misplaced", "ln-affine-before-norm", "ln-gain-before-norm"}),
    },
)
component.settles(EPS, {}, number=lambda eps: {"eps_default": eps})


def _square(case: Case) -> bool:
    """One row, or as many rows as features, where fewer slips raise: none is paid for by each of its effects."""
    return "plain" in case.tags and case.inputs["x"].shape[0] in {1, case.inputs["x"].shape[-1]}


@component.check(on=lambda case: "plain" in case.tags)
def matches_the_formula(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The result is gain · (x - mean) / √(variance + eps) + shift, over the last axis."""
    return near(got, oracle(**inputs), dtype=COARSE)


def _bare(**inputs: Any) -> tuple[Call, ...]:
    ones = {"gain": np.ones_like(inputs["gain"]), "shift": np.zeros_like(inputs["shift"])}
    return Call(inputs), Call({**inputs, **ones})


@component.check(ask=_bare, on=lambda case: "affine" in case.tags)
def gain_and_shift_come_last(got: Any, bare: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Each feature of the normalised x is multiplied by its gain, and then its shift is added."""
    normal = as_array(bare)
    if normal is None or normal.shape != inputs["x"].shape:
        return near(got, oracle(**inputs), dtype=COARSE)
    right, bare_inputs = oracle(**inputs), _bare(**inputs)[1].inputs
    used = {name: not near(right, oracle(**{**inputs, name: bare_inputs[name]})) for name in ("gain", "shift")}
    gain, shift = (inputs[name] if used[name] else bare_inputs[name] for name in ("gain", "shift"))
    return near(got, gain * normal + shift, dtype=COARSE)


@component.check(
    ask=first_and_last_alone,
    on=lambda case: bool(case.tags & {"plain", "rank"}) and case.inputs["x"].ndim > 1,
)
def positions_do_not_meet(got: Any, first: Any, last: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Each position is normalised with its own mean and variance, as it would be alone."""
    found = as_alone(got, first, last, inputs["x"])
    return near(got, oracle(**inputs), dtype=COARSE) if found is None else found


@component.check(on=lambda case: "rank" in case.tags)
def takes_any_rank(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """One position, a sentence or a batch: the result has the shape of x."""
    array = as_array(got)
    return None if array is not None and array.shape == inputs["x"].shape else near(got, oracle(**inputs), dtype=COARSE)


@component.check(on=lambda case: "small" in case.tags)
def eps_stands_under_the_root(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Values that differ by less than √eps are not blown up to size 1: eps is added to the variance."""
    return near(got, oracle(**inputs), dtype=COARSE)


def _two_eps(**inputs: Any) -> tuple[Call, ...]:
    return Call(inputs), Call({name: value for name, value in inputs.items() if name != "eps"})


@component.check(ask=_two_eps, on=lambda case: "eps" in case.tags)
def uses_the_eps_given(got: Any, default: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The eps that is passed is used: a larger one gives a smaller result."""
    first, second = as_array(got), as_array(default)
    if first is None or second is None or first.shape != inputs["x"].shape or second.shape != first.shape:
        return near(got, oracle(**inputs), dtype=COARSE)
    same = bool(near(first, second, dtype=COARSE)) and bool(np.abs(second - second.mean()).max() > 1e-6)
    return Comparison(False, "is the same with the default eps", oracle(**inputs), got) if same else None


@component.check(on=lambda case: "constant" in case.tags)
def survives_equal_values(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Equal values have the variance 0 and give the shift, not NaN."""
    return near(got, oracle(**inputs), dtype=COARSE)


@component.check(on=lambda case: "integer" in case.tags)
def whole_numbers_give_fractions(got: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Whole numbers give floating results."""
    array = as_array(got)
    return None if array is not None and array.dtype.kind == "f" else near(got, oracle(**inputs), dtype=COARSE)


@component.check(ask=watched(), on=lambda case: _square(case) or "integer" in case.tags)
def leaves_arguments_alone(seen: Watched, **inputs: Any) -> Found:
    """x, gain and shift are the same after the call."""
    return arguments_unchanged(seen, inputs)


@component.check(ask=lambda **inputs: (Call(inputs, repeat=2),), on=_square, most=3)
def answers_the_same_twice(got: Any, **_: Any) -> Found:
    """The same arguments give the same answer in a second call."""
    return same_twice(got)


def _fitted_eps(evidence: Evidence, name: str = "eps_value") -> Iterable[Mapping[str, Any]]:
    """The eps that is used, from two numbers 0 and 0.001: their variance is known, and the result tells the sum."""
    for answer in evidence.answers:
        array = as_array(answer.value) if "small" in answer.case.tags and answer.status == "value" else None
        if array is not None and array.shape == (2, 2):
            eps = float((0.0005 / abs(float(array[0, 1]))) ** 2 - 0.0005**2)
            for number in (float(f"{eps:.3g}"), eps):
                if 1e-13 < number < 1e-1:
                    yield {name: number}


_AXIS = """? Do two tokens of very different size come out with the same spread?
> Look at the axis of your mean and of your variance: the features are the last one.
"""
_EPS = """? Feed two values that differ by 0.001. Under which root does eps belong?
> Compare your denominator with the formula: √(variance + eps).
"""
_AFFINE = """? With a gain of 2 and a shift of 1, what do you expect for a normalised 0?
> Look at the last line of your function: gain times the normalised x, plus shift.
"""
_SPREAD = """? Double your input. Should the output change?
> Look at your denominator: which power of the variance is it?
"""

component.slip(
    "ln-eps-outside-sqrt",
    f"""eps is added to the standard deviation instead of the variance.
{_EPS}= √variance + eps is hardly larger than √variance, so that values which differ by less than √eps are blown up.""",
    {"eps_at": "root"},
)
component.slip(
    "ln-eps-missing",
    f"""eps is left out.
{_EPS}= With equal values the variance is 0, and 0/0 is NaN.""",
    {"eps_at": "nowhere"},
)
component.slip(
    "ln-eps-hardcoded",
    """The eps that is passed is not used.
? Call your function with eps=1. Does anything change?
> Look at which number stands in your denominator.
= The parameter is there to be chosen; its default is 1e-5.""",
    {"eps_value": 1e-5},
    {"eps_value": 1e-6},
    told="eps is {eps_value:g} whatever is passed.",
    fit=_fitted_eps,
)
component.slip(
    "ln-eps-default",
    """eps has another default than the hand-out gives.
? Which eps does your function use when none is passed?
> Look at the head of your function: eps=1e-5.
= It shows only where the values differ by little, but there it decides how far they are spread.""",
    {"eps_default": 1e-6},
    told="eps is {eps_default:g} by default; the hand-out says 1e-05.",
    fit=lambda evidence: _fitted_eps(evidence, "eps_default"),
)
component.slip(
    "ln-eps-squared",
    f"""eps is squared before it is added.
{_EPS}= The variance has eps added as it is.""",
    {"eps_at": "squared"},
)
component.slip(
    "ln-divides-by-variance",
    f"""The square root of the variance is missing.
{_SPREAD}= Divided by the variance, the result has the spread 1/σ instead of 1.""",
    {"spread": "variance"},
    {"spread": "square"},
)
component.slip(
    "ln-spread-wrong",
    f"""x is not divided by its standard deviation.
{_SPREAD}= The standard deviation is the root of the mean of the squares of x - mean.""",
    *({"spread": spread} for spread in ("none", "multiplied", "fourth root", "sum", "mean size")),
)
component.slip(
    "ln-unbiased-variance",
    """The variance divides by d_model - 1.
? What is the variance of 0 and 4: 4 or 8?
> Look at ddof, or at what you divide the sum of squares by.
= The mean of the squares divides by d_model. torch's std and var divide by d_model - 1 unless told otherwise.""",
    {"degrees": 1},
    {"degrees": 1, "eps_at": "root"},
)
component.slip(
    "ln-mean-not-subtracted",
    """The mean is not subtracted.
? Add 10 to every value. Should the output change?
> Look at the numerator.
= Without it, this is another norm (root mean square), which newer models use.""",
    {"mean": "kept"},
    {"mean": "kept", "spread": "root of variance"},
)
component.slip(
    "ln-variance-about-zero",
    """The spread is measured from 0 instead of from the mean.
? Add 10 to every value. Should the output change?
> Look at what is squared: x itself, or x minus its mean?
= The variance is the mean of (x - mean)², and not of x². They are the same only where the mean is 0.""",
    {"mean": "kept in variance"},
)
component.slip(
    "ln-over-all-but-batch",
    f"""Each sample is normalised over its positions and features together.
{_AXIS}= Tokens then share one mean and one variance.""",
    {"axis": "but first"},
    {"axis": "last two"},
)
component.slip(
    "ln-over-everything",
    f"""The whole array has one mean and one variance.
{_AXIS}= Without an axis, numpy takes the mean of all entries.""",
    {"axis": "all"},
)
component.slip(
    "ln-batch-statistics",
    """Each feature is normalised over batch and positions: that is batch normalisation.
? Normalise one sample alone and then in a batch. Is it the same?
> Look at the axis of your mean and of your variance: the features are the last one.
= The output of one sample depends on the others, and a lone row gives zeros.""",
    {"axis": "but last"},
    {"axis": "first"},
    {"axis": "before last"},
)
component.slip(
    "ln-hardcoded-axis1",
    """Mean and variance always run over axis 1.
? Which axis is number 1 once a batch stands in front?
> Count axes from the end: the features are axis -1.
= Axis 1 holds the features of a matrix, but the positions of a batch.""",
    {"axis": "second"},
)
component.slip(
    "ln-missing-keepdims",
    """Mean and variance lose their axis, so each row is paired with the wrong numbers.
? What is the shape of your means, and how will numpy line it up with x?
> Look at keepdims.
= mean(axis=-1) of (n, d) has the shape (n,), which numpy lines up with the features.""",
    {"keep": False},
)
component.slip(
    "ln-missing-affine",
    f"""Gain and shift are not used.
{_AFFINE}= They let the network undo the normalisation where that helps.""",
    {"affine": "none"},
)
component.slip(
    "ln-missing-shift",
    f"""The shift is not added.
{_AFFINE}= The result is gain times the normalised x, plus shift.""",
    {"affine": "no shift"},
)
component.slip(
    "ln-missing-gain",
    f"""The gain is not used.
{_AFFINE}= The result is gain times the normalised x, plus shift.""",
    {"affine": "no gain"},
)
component.slip(
    "ln-affine-misplaced",
    f"""Gain and shift are applied in another way than gain · x̂ + shift.
{_AFFINE}= First the gain multiplies the normalised x, then the shift is added.""",
    *({"affine": how} for how in ("swapped", "1 + gain", "shift first", "minus shift", "divided", "first gain")),
    {"affine": "times shift"},
)
component.slip(
    "ln-affine-before-norm",
    f"""Gain and shift are applied before the normalisation.
{_AFFINE}= Normalising afterwards takes most of their effect away.""",
    {"affine": "before"},
)
component.slip(
    "ln-gain-before-norm",
    f"""The gain multiplies x before it is normalised.
{_AFFINE}= Mean and variance are then those of the scaled features, and most of the gain is divided away again.""",
    {"affine": "gain before"},
)
component.slip(
    "ln-variance-over-another-axis",
    f"""Mean and variance run over different axes.
{_AXIS}= Both belong to one row of features: (x - mean) / √(variance + eps) has mean 0 and variance 1 only where they
are taken over the same numbers.""",
    *({"spread_axis": axis} for axis in ("before last", "all", "first")),
    *({"axis": axis, "spread_axis": "last"} for axis in ("before last", "all", "first")),
)
component.slip(
    "ln-scaled-by-range",
    """The features are scaled by their range, from the smallest to the largest, instead of being normalised.
? What are the mean and the variance of your result where the gain is 1 and the shift is 0?
> Look for min and max: the formula has the mean and the standard deviation.
= (x - min) / (max - min) lies between 0 and 1. Layer norm brings the mean to 0 and the variance to 1.""",
    {"mean": "smallest", "spread": "range", "eps_at": "root"},
    {"mean": "smallest", "spread": "range", "eps_at": "nowhere"},
    {"spread": "range", "eps_at": "root"},
)
component.slip(
    "ln-integer-output",
    """The result is stored with the type of x.
? What type does your result have when x holds whole numbers?
> zeros_like(x) and astype take the type along.
= An integer array cannot hold a normalised value: it is cut.""",
    {"result": "input"},
)
component.slip(
    "ln-writes-into-x",
    """The argument x is changed in place.
? Is x the same after the call as before?
> Look for operators such as `x -= ...`.
= The caller still needs x. `x = x - mean` makes a new array.""",
    {"in_place": "x"},
)
