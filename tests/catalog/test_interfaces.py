"""What an assignment.yaml asks of a component is compared with the component before any work is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import InvalidFileError
from grader.catalog.interfaces import require_known_interfaces

HEAD = 'schema: grader/assignment/v1\nid: mine\nversion: "1"\ntitle: Mine\nneeds: [numpy]\ncomponents:\n'


def complaint(tmp_path: Path, component: str, fields: str) -> str:
    path = tmp_path / "assignment.yaml"
    path.write_text(f"{HEAD}  {component}:\n    callable: f\n    {fields}\n")
    with pytest.raises(InvalidFileError) as caught:
        require_known_interfaces(path)
    return caught.value.problems[0].removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("component", "fields", "expected"),
    [
        ("sofmax", "parameters: [x]", "7: components.sofmax: there is no component 'sofmax'. Did you mean 'softmax'?"),
        ("softmax", "parameters: [y]", "9: components.softmax.parameters[0]: there is no parameter 'y'"),
        ("softmax", "parameters: [x, x]", "9: components.softmax.parameters[1]: 'x' is given twice"),
        ("softmax", "parameters: [axis]", "9: components.softmax.parameters: expected x among the parameters"),
        ("softmax", "returns: [weights]", "9: components.softmax.returns[0]: there is no returned value 'weights'"),
        ("softmax", "returns: [_, _]", "9: components.softmax.returns: expected output among them"),
        ("softmax", "domain: {rank: [2]}", "9: components.softmax.domain.rank: unknown field. Did you mean 'ranks'?"),
        ("softmax", "domain: {ranks: 2}", "9: components.softmax.domain: expected values that softmax takes"),
        ("softmax", "conventions: {form: class}", "9: components.softmax.conventions.form: expected function"),
        ("causal_mask", "conventions: {mask: on}", "9: components.causal_mask.conventions.mask: expected attend"),
        ("encoder_layer", "conventions: {norm: mid}", "9: components.encoder_layer.conventions.norm: expected post"),
        ("multi_head_attention", "parameters: [query, key, value, num_heads]\n    conventions: {form: function}",
         "9: components.multi_head_attention.parameters: expected W_q, W_k, W_v, W_o among the parameters"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_file_line_and_expectation(tmp_path, component, fields, expected):
    assert complaint(tmp_path, component, fields).startswith(expected)


@pytest.mark.parametrize("name", ["attention-numpy", "attention-mechanics", "transformer-from-scratch"])
def test_the_bundled_assignments_ask_for_what_there_is(name):
    from grader.catalog import assignment_file

    require_known_interfaces(assignment_file(name))


def test_weights_may_be_asked_for_one_by_one_or_together(tmp_path):
    for names in ("query, key, value, weights, num_heads", "query, key, value, W_q, W_k, W_v, W_o, num_heads"):
        path = tmp_path / "assignment.yaml"
        path.write_text(
            f"{HEAD}  multi_head_attention:\n    parameters: [{names}]\n    conventions: {{form: function}}\n"
        )
        require_known_interfaces(path)
