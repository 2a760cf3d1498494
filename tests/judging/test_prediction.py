"""What is remembered of wrong oracles, and what is told apart quickly."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from grader.judging.prediction import Rows, by_value, inputs_key, lasting, remembered, remembering, without
from grader.properties import NOT_ASKED, near


def shown(setting):
    return repr(setting)


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (1, 1.0), (0, False), (0.0, -0.0), ((1, 2), (1.0, 2)), ((1,), (True,))]
)
def test_settings_that_are_equal_but_of_another_kind_are_remembered_apart(one, other):
    inputs = inputs_key({"x": np.arange(3.0)})
    functions = partial(shown, setting=one), partial(shown, setting=other)
    got = [remembered(f, inputs, f) for f in functions]
    assert got == [repr(one), repr(other)]


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0)])
def test_inputs_that_are_equal_but_of_another_kind_have_keys_of_their_own(one, other):
    assert inputs_key({"x": one}) != inputs_key({"x": other})


def test_a_setting_that_is_not_a_number_is_remembered():
    counted = []
    for _ in range(2):
        function = partial(shown, setting=float("nan"))
        remembered(lambda: counted.append(1), inputs_key({"x": 1.5}), function)
    assert len(counted) == 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_value_is_in_the_same_place_whatever_was_not_asked_for(place):
    asked = [part for part in range(3) if part != place]
    got = tuple(NOT_ASKED if part == place else None if part == asked[-1] else np.ones(2) for part in range(3))
    predicted = tuple(None if part == asked[-1] else np.ones(2) for part in asked)
    assert without(got) == without(predicted) == (1,)
    assert Rows().near(np.array([0]), lambda _: predicted, without(got)).all()


@pytest.mark.parametrize("predicted", [1.0, np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("got", [1.0, np.nan, np.inf, -np.inf, 1e300])
def test_what_is_not_finite_is_near_its_like_alone(predicted, got):
    answer = np.array([0.5, got])
    kept = Rows().near(np.array([0]), lambda _: np.array([0.5, predicted]), answer, 1e-3)
    like = got == predicted or (np.isnan(got) and np.isnan(predicted))
    assert kept.all() if like else not kept.any() or {got, predicted} & {1e300}  # which single precision cannot hold


def test_the_place_of_a_value_is_told_where_several_are_asked_for():
    right = (np.ones(2), np.ones(2))
    assert near((np.zeros(2), np.ones(2)), right).message.startswith("value 1 of 2")
    alone = near((np.zeros(2), NOT_ASKED), right)
    assert not alone
    assert "value" not in f"{alone.message} {alone.place}"


def test_what_a_function_returns_is_remembered_apart_from_what_it_does_to_its_arguments():
    def double(x):
        return 2 * x

    inputs = {"x": np.arange(3.0)}
    both = remembered(lambda: (double(**inputs), inputs), inputs_key(inputs), double)
    assert remembering(double)(**inputs).tolist() == both[0].tolist() == [0.0, 2.0, 4.0]


def first_half(**settings):
    return settings


@pytest.mark.parametrize(
    "other",
    [
        {"weights": {"w": np.array([[1.0, 2.0], [3.0, 5.0]])}},
        {"weights": {"w": np.array([[1.0, 3.0], [2.0, 4.0]]).T}},  # the same numbers in another layout
        {"weights": {"w": np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)}},
        {"weights": {"v": np.array([[1.0, 2.0], [3.0, 4.0]])}},
        {"knobs": {"scale": True}},
        {"knobs": {"scale": 1.0}},
        {"knobs": {}},
        {"compute": partial(first_half, x=2)},
        {"compute": partial(first_half, x=True)},
        {"compute": partial(partial(first_half, y=1), x=1)},
    ],
)
def test_what_is_computed_of_other_values_is_computed_anew(other):
    asked = {"compute": partial(first_half, x=1), "weights": {"w": np.array([[1.0, 2.0], [3.0, 4.0]])}}
    asked |= {"knobs": {"scale": 1}}
    unlike = {**asked, **other}
    first = by_value(object, *asked.values())
    assert by_value(object, *({**one} if isinstance(one, dict) else one for one in asked.values())) is first
    assert by_value(object, *unlike.values()) is not first


def test_what_has_no_plain_value_is_computed_each_time():
    for inputs in ({"sublayer": object()}, {"pair": (np.ones(2), 1)}):
        assert lasting(inputs) is None
        assert by_value(object, lasting(inputs)) is not by_value(object, lasting(inputs))
