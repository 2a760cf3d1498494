"""A rehearsal of what draws at random says the same each time."""

import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment


@pytest.mark.slow
def test_mistakes_of_dropout_are_told_alike_in_every_rehearsal() -> None:
    component = components.component("dropout", "function")
    interface = load_assignment("transformer-from-scratch").interface("dropout")
    variants = [m.by_target(component.target) for m in component.misconceptions if m.id == "dropout-shared-mask"]
    tellings = [
        [rehearse(component, as_submitted(component, interface, variant), interface) for variant in variants]
        for _ in range(3)
    ]
    assert tellings[0] == tellings[1] == tellings[2]
    named = [{o.diagnosis.id for o in outcomes if o.diagnosis} for outcomes in tellings[0]]
    assert named == [{"dropout-shared-mask"}] * len(variants)
