"""The example that is shown for a known slip shows it: what is expected and what came look different."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment
from grader.component import Component, Misconception
from grader.judging.wording import shown
from grader.model import Outcome, Verdict

ASSIGNMENTS = ("attention-numpy", "attention-mechanics", "transformer-from-scratch")
ASKED = {
    # what two assignments ask for in the same way is tried once
    (interface.component, repr(interface.domain), interface.parameters): (assignment, interface.component)
    for assignment in reversed(ASSIGNMENTS)
    for interface in load_assignment(assignment).interfaces
    if interface.component != "integrity" and interface.conventions.get("form", "function") == "function"
}
QUICK = {"causal_mask", "padding_mask", "token_embedding", "feed_forward"}
COMPONENTS = [
    pytest.param(*pair, marks=[] if pair[1] in QUICK else [pytest.mark.slow]) for pair in sorted(ASKED.values())
]


def slips(assignment: str, name: str) -> Iterator[tuple[Misconception, Outcome]]:
    """What every misconception that can be made under an assignment comes to, check by check."""
    interface, component = load_assignment(assignment).interface(name), components.get(name, "function")
    if not isinstance(component, Component):
        return
    asked = [case.inputs for case in component.ladder(np.random.default_rng(0), interface.domain)]
    for one in component.misconceptions:
        wrong = one.by_target(component.target)
        if wrong and (one.applies is None or one.applies(asked)):
            for outcome in rehearse(component, as_submitted(component, interface, wrong), interface):
                yield one, outcome


@pytest.mark.parametrize(("assignment", "name"), COMPONENTS)
def test_every_failure_has_an_example_and_every_example_differs_to_the_eye(assignment: str, name: str) -> None:
    alike, without = [], []  # told by one rehearsal of all slips, which is what takes the time
    for one, outcome in slips(assignment, name):
        example = outcome.counterexample
        if outcome.verdict is Verdict.FAILED and example is None:
            without.append((one.id, outcome.check))
        if outcome.verdict is not Verdict.PASSED and example is not None and example.expected == example.got:
            alike.append((one.id, dict(one.knobs), outcome.check, example.expected))
    assert alike == []
    assert without == []


def test_a_difference_below_four_places_is_written_out() -> None:
    value = np.array([[0.123456, 2.0]])
    assert shown(value) == "[[0.1235, 2.]]"
    assert shown(value, None, "{:.9g}".format) == "[[0.123456, 2]]"
