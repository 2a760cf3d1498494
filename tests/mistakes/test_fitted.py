"""Constants that a student chose are read from the answers: other values than those of the record are named as well."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from grader.auditing.rehearsal import as_submitted, rehearse
from grader.blocks.faults import WRITTEN
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.model.assignment import Interface
from tests.mistakes.test_catalogue import functions


def other(value: Any) -> Any:
    """Another constant of that kind; None where the value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value + 1 if isinstance(value, int) else value * 0.7


def fitted() -> Iterator[tuple[Component, Misconception, Mapping[str, Any]]]:
    for component in functions():
        for made in component.misconceptions:
            changed = {name: other(value) for name, value in made.knobs.items() if other(value) is not None}
            if made.fit is not None and changed and not isinstance(component.workshop, dict):
                yield component, made, {**made.knobs, **changed}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("component", "made", "knobs"), [pytest.param(*one, id=f"{one[1].id}-{i}") for i, one in enumerate(fitted())]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_constant_that_no_record_lists_is_read_from_the_answers(
    component: Component, made: Misconception, knobs: Mapping[str, Any]
) -> None:
    interface = Interface(component.name, component.target)
    variants = {made.target or component.target: lambda **inputs: component.workshop(**inputs, **knobs)}
    outcomes = rehearse(component, as_submitted(component, interface, variants), interface)
    named = {found for one in outcomes if one.diagnosis for found in one.diagnosis.ids}
    assert made.id in named, knobs


@pytest.mark.parametrize("number", [1e-9, 1e-6, 0.1, 3.0, 64.0, 512.0, 5000.0, 10000.0, 1e9])
def test_a_power_that_stands_in_the_source_is_not_taken_for_no_factor_at_all(number: float) -> None:
    powers = WRITTEN["fitted_power"](number)
    assert all(0.03 < abs(2.0**power - 1) < 2.0**10 for power in powers)  # of a d_k of 2
    assert (1 / 3 in powers) == (number == 3.0)
