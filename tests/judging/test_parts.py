"""Of an answer of several values, the one that is shown is named."""

from __future__ import annotations

import numpy as np
import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.catalog import load_assignment
from grader.model.outcome import Outcome
from grader.report.values import lines


def outcome_of(mistake: str, check: str, assignment: str = "attention-numpy") -> Outcome:
    component = components.component("scaled_dot_product_attention", "function")
    interface = load_assignment(assignment).interface(component.name)
    made = next(m for m in component.misconceptions if m.id == mistake)
    outcomes = rehearse(component, as_submitted(component, interface, made.by_target(component.target)), interface)
    return next(outcome for outcome in outcomes if outcome.check.endswith(f".{check}"))


@pytest.mark.parametrize("assignment", ["attention-numpy", "transformer-from-scratch"])
def test_the_weights_are_said_to_be_the_weights(assignment: str) -> None:
    example = outcome_of("sdpa-no-scale", "weights_match_the_paper", assignment).counterexample
    assert example
    assert example.part == "weights"
    shown = {label: text for label, text, _ in lines(example, inputs=False)}
    assert shown["expected"] == f"weights = {example.expected}"
    assert shown["got"] == f"weights = {example.got}"


def test_the_whole_answer_has_no_name() -> None:
    example = outcome_of("sdpa-returns-output-alone", "returns_output_and_weights").counterexample
    assert example
    assert example.expected.startswith("(")
    assert example.part == ""


def test_a_named_matrix_stands_row_by_row_under_its_first_row() -> None:
    from grader.model.outcome import Counterexample
    from grader.model.text import StudentText

    text = StudentText("[[1., 0.], [0., 1.], [0., 0.]]")
    (_, shown, _), *_ = lines(Counterexample({}, text, text, part="weights"))
    begins = [line.index("[") for line in shown.splitlines()]
    assert shown.startswith("weights = [[1., 0.],")
    assert np.diff(begins).tolist() == [1, 0]


def test_some_columns_of_a_table_are_said_to_be_those_columns() -> None:
    component = components.component("positional_encoding", "function")
    interface = load_assignment("transformer-from-scratch").interface(component.name)
    made = next(m for m in component.misconceptions if m.id == "pe-positions-from-one")
    outcomes = rehearse(component, as_submitted(component, interface, made.by_target(component.target)), interface)
    parts = {o.check.partition(".")[2]: o.counterexample.part for o in outcomes if o.counterexample}
    assert parts["row_zero_is_position_zero"] == "PE[0]"
    assert parts["even_columns_are_sines"] == "PE[1:, 0::2]"
    assert parts["odd_columns_are_cosines"] == "PE[1:, 1::2]"
