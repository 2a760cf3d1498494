"""Softmax (inside equation 1, section 3.2.1): checks and misconceptions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import reference
from grader.component.calls import Call, Case, Inputs
from grader.component.checks import Evidence, Found, passes_batches
from grader.components.any_call import answers_twice, is_right, leaves_alone
from grader.components.softmax_workshop import fitted_more, fitted_rate, workshop
from grader.components.syntax_signs import defaults_to, never_defaults_to
from grader.judging.function import Function
from grader.judging.prediction import remembering
from grader.model.outcome import Tells
from grader.properties import COARSE, Array, as_array, near, other_kind, rows_sum_to_one


def ladder(rng: np.random.Generator, domain: Mapping[str, Any]) -> Iterable[Case]:
    """Smallest first. ``domain``: ``ranks`` (1 to 4), ``axis`` (false or "last": never passed)."""
    ranks = set(domain.get("ranks", (1, 2, 3, 4)))
    yield Case({"x": np.array([[0.0, 0.0, 0.0]])}, "three equal scores: a third each", frozenset({"plain"}), fixed=True)
    yield Case({"x": np.array([[0.0, 1.0], [2.0, 0.0]])}, "two rows of two", frozenset({"plain", "far"}), fixed=True)
    yield Case({"x": rng.normal(size=(2, 3))}, "two rows of three", frozenset({"plain"}))
    yield Case(
        {"x": rng.normal(size=(3, 3)) * 2}, "a square: only the values can tell", frozenset({"plain", "far", "square"})
    )
    yield Case({"x": rng.normal(size=(5, 2)) - 3}, "all scores below zero", frozenset({"plain"}))
    yield Case({"x": np.array([[1000.0, 1000.0]])}, "two equal scores of 1000", frozenset({"large"}), fixed=True)
    yield Case(
        {"x": np.array([[400.0, 399.0]])}, "scores of 400: exp() can still hold them", frozenset({"large"}), fixed=True
    )
    yield Case({"x": np.array([[0.0, 1000.0]])}, "scores of 0 and 1000", frozenset({"large"}), fixed=True)
    yield Case({"x": np.array([[-1e4, 1e4 - 1, 1e4]])}, "scores of 10000", frozenset({"large"}), fixed=True)
    yield Case({"x": rng.normal(size=(3, 3)) - 1e4}, "all scores near -10000", frozenset({"large"}))
    yield Case({"x": np.array([[1, 2, 4], [0, 0, 3], [2, 1, 0]])}, "whole numbers", frozenset({"integer"}), fixed=True)
    if 1 in ranks:
        yield Case({"x": rng.normal(size=4)}, "one vector", frozenset({"rank"}))
    if 3 in ranks:
        yield Case({"x": rng.normal(size=(2, 3, 5))}, "a batch of two matrices", frozenset({"rank"}))
        yield Case({"x": rng.normal(size=(3, 3, 3))}, "a cube", frozenset({"rank"}))
    if 4 in ranks:
        yield Case({"x": rng.normal(size=(2, 3, 2, 5))}, "four axes: batch, heads, queries, keys", frozenset({"rank"}))
    if domain.get("axis") not in (False, "last"):
        yield from _other_axes(rng, ranks)


def _other_axes(rng: np.random.Generator, ranks: set[int]) -> Iterable[Case]:
    tag = frozenset({"axis"})
    if 2 in ranks:
        row = np.array([[0.0, 0.0, 0.0]])
        yield Case({"x": row, "axis": 0}, "one row, along the columns: all ones", tag, fixed=True)
        yield Case({"x": rng.normal(size=(2, 5)), "axis": 0}, "a matrix along axis 0", tag)
    if 3 in ranks:
        yield Case({"x": rng.normal(size=(2, 3, 5)), "axis": 1}, "three axes, along the middle one", tag)
        yield Case(
            {"x": rng.normal(size=(3, 2, 2)), "axis": -3}, "three axes, along the first, counted from the end", tag
        )


component = Function(
    "softmax",
    {"softmax": reference.softmax},
    ladder,
    title="Softmax",
    reread="section 3.2.1, equation 1",
    workshop=workshop,
    ranked=("x",),
)


_definition = remembering(reference.softmax)


def _right(x: Array, axis: int = -1) -> Array:
    right: Array = _definition(x=x, axis=axis)
    return right


def _square(case: Case) -> bool:
    """One row, or as many rows as columns, where fewer slips raise: none is paid for by each of its effects."""
    return "plain" in case.tags and case.inputs["x"].shape[0] in {1, case.inputs["x"].shape[-1]}


component.check(
    "matches_the_definition", "Each weight is exp(score) divided by the sum of exp over the row.", on="plain"
)(is_right)


@component.check(on=("plain", "rank"))
def rows_are_distributions(got: Any, x: Array, axis: int = -1) -> Found:
    """The weights are non-negative and sum to 1."""
    array = as_array(got)
    if array is None or array.shape != x.shape:
        return near(got, _right(x, axis), dtype=COARSE)
    return rows_sum_to_one(array.astype(COARSE) if array.dtype.kind == "f" else array, axis)


component.check("takes_any_rank", "A vector, a matrix or a batch: the last axis sums to 1.", on="rank")(is_right)
component.check("runs_along_the_axis_asked_for", "The argument `axis` says which axis sums to 1.", on="axis")(is_right)


@component.check(ask=lambda x, **_: (Call({"x": x}), Call({"x": x - x.max()})), on="large")
def survives_large_scores(got: Any, moved: Any, x: Array, axis: int = -1) -> Found:
    """Scores of 1000 or -10000 give finite weights, the same as after moving them all towards 0.

    exp(1000) is too large for a float; subtracting the largest score first changes no weight and avoids it.
    """
    first, second = as_array(got), as_array(moved)
    if first is None or second is None:
        return other_kind(got, "an array of numbers")
    if not np.isfinite(first).all() or (first.ndim and not first.any(axis=-1).all()):
        return near(got, _right(x, axis))  # an overflow inside logsumexp shows as a row of zeros
    if np.isfinite(first).all() and not np.isfinite(second).all():
        message = "is not finite once the largest score is subtracted from all of them"
        return replace(near(second, first), message=message, tells=Tells.FOUND)
    return near(first, second, dtype=np.dtype(np.float16))  # single precision keeps three digits of a score of 10000


def _far(x: Array) -> Array:
    lifted = x.copy()
    lifted[0] += 2000
    return lifted


@component.check(ask=lambda x, **_: (Call({"x": _far(x)}), Call({"x": x})), on="far")
def rows_far_apart_do_not_disturb_each_other(got: Any, near_rows: Any, x: Array, axis: int = -1) -> Found:
    """A row of small scores beside a row of huge ones comes out as it would alone.

    The largest score must be that of each row: subtracting the largest of all lets exp() of the low rows become 0/0.
    """
    first, second = as_array(got), as_array(near_rows)
    if (
        first is None
        or second is None
        or first.dtype.kind not in "fiu"
        or not first.ndim
        or first.shape != second.shape
    ):
        return other_kind(got, "an array of numbers", second)
    if not np.isfinite(second[1:]).all() or (np.isfinite(first[1:]).all() and not near(second, _right(x, axis))):
        return None  # what is wrong without a huge row, too, is the business of another check
    return near(first[1:], second[1:], dtype=COARSE)


@component.check(ask=lambda x, **_: (Call({"x": x}), Call({"x": x + 3.0})), on=_square, most=3)
def a_constant_changes_nothing(got: Any, moved: Any, **_: Any) -> Found:
    """Adding the same number to every score leaves the weights as they are."""
    first = as_array(got)
    return near(moved, first, dtype=COARSE) if first is not None else other_kind(got, "an array")


@component.check(on="integer", manner=True)
def whole_numbers_give_fractions(got: Any, x: Array, axis: int = -1) -> Found:
    """Integer scores give floating weights, not zeros and ones."""
    array = as_array(got)
    if array is not None and array.dtype.kind == "f" and array.shape == x.shape:
        # What else may be wrong with the values is looked at elsewhere; here they must only not be cut.
        cut = bool((array == np.trunc(array)).all() and np.isfinite(array).all())
        return not cut or near(array, _right(x, axis), dtype=COARSE)
    return near(got, _right(x, axis), dtype=COARSE)


leaves_alone(
    component,
    "The caller's array is the same after the call.",
    "leaves_the_scores_alone",
    on=lambda case: _square(case) or "integer" in case.tags,
    most=4,
)
answers_twice(component, "The same scores give the same weights in a second call.", on="plain", most=2)


component.hooks |= {
    "fitted_more": fitted_more,
    "fitted_rate": fitted_rate,
    "passes_batches": passes_batches("x"),
    "never_defaults_to_0": partial(never_defaults_to, number=0),
    "never_defaults_to_1": partial(never_defaults_to, number=1),
}


@component.hook
def defaults_to_another(evidence: Evidence) -> bool:
    """Whether an axis is 0 or 1 where none is passed.

    Where a hand-out never passes an axis, a default of 0 and an axis of 0 are one function: only the source can tell.
    """
    return defaults_to(evidence, 0) or defaults_to(evidence, 1)


@component.hook
def passes_another_axis(asked: Sequence[Inputs]) -> bool:
    """Whether another axis than the last is asked for."""
    return any(inputs.get("axis", -1) not in {-1, inputs["x"].ndim - 1} for inputs in asked)


@component.hook
def changes_its_argument(evidence: Evidence) -> bool:
    """The caller's array is overwritten."""
    return evidence.failed == {"leaves_the_scores_alone"}
