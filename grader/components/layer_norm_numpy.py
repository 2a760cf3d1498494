"""Layer normalisation as a function (section 3.1; Ba et al. 2016): checks and misconceptions."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case
from grader.component.checks import Evidence, Found, Oracle
from grader.components.any_call import (
    answers_twice,
    first_and_last_alone,
    is_floating,
    is_right,
    keeps_the_shape,
    leaves_alone,
    same_alone,
)
from grader.judging.function import Function
from grader.paper.norm import layer_norm
from grader.paper.weights import Roles
from grader.properties import COARSE, Comparison, as_array, near


def workshop(
    x: Any,
    gain: Any,
    shift: Any,
    eps: float = 1e-5,
    *,
    eps_default: float | None = None,
    in_place: str = "",
    result: str = "float",
    **settings: Any,
) -> Any:
    """The paper's norm with settings: its default eps, what is returned, and what is written into x."""
    given = np.asarray(x)
    values = given if given.dtype.kind == "f" else given.astype(np.float64)
    eps = eps_default if eps_default is not None and eps == 1e-5 else eps
    out = layer_norm(values, Roles({"gain": gain, "shift": shift}), eps, **settings)
    if in_place == "x":
        x -= values.mean(axis=-1, keepdims=True)
    return out.astype(given.dtype) if result == "input" else out


MOST_EPS = 1e2
"""Up to which an eps is read from answers."""


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
component.settles("deviation")
component.settles("eps_place")
component.settles(
    "affine",
    {"both": {}, "gain": {"affine": "no shift"}, "none": {"affine": "none"}},  # arrays come as the hand-out has them
    unused={"gain": ("shift",), "none": ("gain", "shift")},
    drops={
        "gain": frozenset({"ln-affine-misplaced", "ln-affine-before-norm"}),
        "none": frozenset({"ln-affine-misplaced", "ln-affine-before-norm", "ln-gain-before-norm"}),
    },
)
component.settles("centred")
component.settles("eps")


def _square(case: Case) -> bool:
    """One row, or as many rows as features, where fewer slips raise: none is paid for by each of its effects."""
    return "plain" in case.tags and case.inputs["x"].shape[0] in {1, case.inputs["x"].shape[-1]}


component.check(
    "matches_the_formula",
    "The result is gain · (x - mean) / √(variance + eps) + shift, over the last axis.",
    on="plain",
)(is_right)


def _bare(**inputs: Any) -> tuple[Call, ...]:
    ones = {"gain": np.ones_like(inputs["gain"]), "shift": np.zeros_like(inputs["shift"])}
    return Call(inputs), Call({**inputs, **ones})


@component.check(ask=_bare, on="affine")
def gain_and_shift_come_last(got: Any, bare: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """Each feature of the normalised x is multiplied by its gain, and then its shift is added."""
    normal = as_array(bare)
    if normal is None or normal.shape != inputs["x"].shape:
        return near(got, oracle(**inputs), dtype=COARSE)
    right, bare_inputs = oracle(**inputs), _bare(**inputs)[1].inputs
    used = {name: not near(right, oracle(**{**inputs, name: bare_inputs[name]})) for name in ("gain", "shift")}
    gain, shift = (inputs[name] if used[name] else bare_inputs[name] for name in ("gain", "shift"))
    return near(got, gain * normal + shift, dtype=COARSE)


component.check(
    "positions_do_not_meet",
    "Each position is normalised with its own mean and variance, as it would be alone.",
    ask=first_and_last_alone,
    on=lambda case: bool(case.tags & {"plain", "rank"}) and case.inputs["x"].ndim > 1,
)(same_alone)
component.check("takes_any_rank", "One position, a sentence or a batch: the result has the shape of x.", on="rank")(
    keeps_the_shape
)
component.check(
    "eps_stands_under_the_root",
    "Values that differ by less than √eps are not blown up to size 1: eps is added to the variance.",
    on="small",
)(is_right)


def _two_eps(**inputs: Any) -> tuple[Call, ...]:
    return Call(inputs), Call({name: value for name, value in inputs.items() if name != "eps"})


@component.check(ask=_two_eps, on="eps")
def uses_the_eps_given(got: Any, default: Any, *, oracle: Oracle, **inputs: Any) -> Found:
    """The eps that is passed is used: a larger one gives a smaller result."""
    first, second = as_array(got), as_array(default)
    if first is None or second is None or first.shape != inputs["x"].shape or second.shape != first.shape:
        return near(got, oracle(**inputs), dtype=COARSE)
    same = bool(near(first, second, dtype=COARSE)) and bool(np.abs(second - second.mean()).max() > 1e-6)
    return Comparison(False, "is the same with another eps", oracle(**inputs), got) if same else None


component.check(
    "survives_equal_values", "Equal values have the variance 0 and give the shift, not NaN.", on="constant"
)(is_right)
component.check("whole_numbers_give_fractions", "Whole numbers give floating results.", on="integer", manner=True)(
    is_floating
)
leaves_alone(
    component, "x, gain and shift are the same after the call.", on=lambda case: _square(case) or "integer" in case.tags
)
answers_twice(component, on=_square)


@component.hook
def _fitted_eps(evidence: Evidence, name: str = "eps_value") -> Iterable[Mapping[str, Any]]:
    """The eps that is used, from two numbers 0 and 0.001: their variance is known, and the result tells the sum."""
    for answer in evidence.answers:
        array = as_array(answer.value) if "small" in answer.case.tags and answer.status == "value" else None
        if array is not None and array.shape == (2, 2):
            eps = float((0.0005 / abs(float(array[0, 1]))) ** 2 - 0.0005**2)
            for number in (float(f"{eps:.3g}"), eps):
                if 1e-13 < number < MOST_EPS:
                    yield {name: number}


@component.hook
def _fitted_default(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    """The eps where none is passed."""
    return _fitted_eps(evidence, "eps_default")
