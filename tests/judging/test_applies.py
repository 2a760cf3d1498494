"""A mistake that cannot be made with what the hand-out asks is no explanation, and none that is offered beside one."""

from __future__ import annotations

import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment

ASKED = {
    "attention-numpy": {
        "sdpa-no-scale": "sdpa-no-scale",
        "sdpa-scale-only-with-mask": "sdpa-no-scale",
        "sdpa-softmax-over-batch-axis": "sdpa-softmax-over-query-axis",
        "softmax-over-everything": "softmax-over-everything",
        "softmax-over-last-two-axes": "softmax-over-everything",
    },
    "transformer-from-scratch": {
        "sdpa-no-scale": "sdpa-no-scale",
        "sdpa-scale-only-with-mask": "sdpa-scale-only-with-mask",
        "sdpa-softmax-over-batch-axis": "sdpa-softmax-over-batch-axis",
        "softmax-over-everything": "softmax-over-everything",
        "softmax-over-last-two-axes": "softmax-over-last-two-axes",
    },
}
CASES = [(assignment, mistake, named) for assignment, pairs in ASKED.items() for mistake, named in pairs.items()]


@pytest.mark.parametrize(("assignment", "mistake", "named"), CASES)
def test_only_what_can_be_made_there_is_named(assignment: str, mistake: str, named: str) -> None:
    name = "softmax" if mistake.startswith("softmax") else "scaled_dot_product_attention"
    component = components.component(name, "function")
    interface = load_assignment(assignment).interface(name)
    made = next(m for m in component.misconceptions if m.id == mistake)
    outcomes = rehearse(component, as_submitted(component, interface, made.by_target(component.target)), interface)
    told = {(outcome.diagnosis.id, outcome.diagnosis.family) for outcome in outcomes if outcome.diagnosis}
    assert told == {(named, ())}
