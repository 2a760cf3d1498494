"""One source for conventions: the page in the docs, the schema and the validator say the same."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from grader import components
from grader.catalog import InvalidFileError
from grader.catalog.conventions import table
from grader.catalog.interfaces import require_known_interfaces
from grader.cli.schema import command

ROOT = Path(__file__).resolve().parents[2]
HEAD = 'schema: grader/assignment/v1\nid: mine\nversion: "1"\ntitle: Mine\nneeds: [numpy, torch]\ncomponents:\n'
FORMS = [(name, form) for name in components.names() for form in components.forms(name)]


def test_the_page_is_the_table_that_the_records_give():
    assert (ROOT / "docs" / "conventions.md").read_text() == table(), "grader schema conventions > docs/conventions.md"


def _refused(tmp_path: Path, component: str, fields: str) -> str:
    path = tmp_path / "assignment.yaml"
    path.write_text(f"{HEAD}  {component}:\n    callable: Thing\n    {fields}\n")
    with pytest.raises(InvalidFileError) as caught:
        require_known_interfaces(path)
    return " ".join(caught.value.problems)


@pytest.mark.parametrize(("component", "form"), FORMS)
def test_a_convention_that_a_component_does_not_know_is_refused(tmp_path, component, form):
    told = _refused(tmp_path, component, f"conventions: {{form: {form}, flavour: sweet}}")
    assert f"{component} knows no convention 'flavour'" in told
    assert ":9: " in told


@pytest.mark.parametrize(("component", "form"), FORMS)
def test_a_value_that_a_convention_does_not_have_is_refused(tmp_path, component, form):
    for one in components.component(component, form).conventions:
        if one.convention.reads is None and one.key != "form":
            told = _refused(tmp_path, component, f"conventions: {{form: {form}, {one.key}: neverheard}}")
            assert f"conventions.{one.key}" in told


@pytest.mark.parametrize(("component", "form"), [(name, form) for name, form in FORMS if form == "function"])
def test_a_domain_key_or_a_further_callable_that_there_is_not_is_refused(tmp_path, component, form):
    assert "domain" in _refused(tmp_path, component, f"conventions: {{form: {form}}}\n    domain: {{weather: [1]}}")
    if component != "integrity":
        told = _refused(tmp_path, component, f"conventions: {{form: {form}}}\n    names: {{helper_of: mine}}")
        assert "there is no further callable 'helper_of'" in told


@pytest.mark.parametrize(
    ("component", "fields"),
    [
        ("layer_norm", "parameters: [x, gamma, beta, eps]"),
        ("feed_forward", "parameters: [inputs]"),
        ("multi_head_attention", "parameters: [q, k, v]"),
    ],
)
def test_names_that_no_form_of_a_component_has_are_refused(tmp_path, component, fields):
    assert "`form` among the conventions says which" in _refused(tmp_path, component, fields)


@pytest.mark.parametrize(
    ("component", "parameters", "form"),
    [("layer_norm", "x, gain, shift, eps", "function"), ("feed_forward", "x, W_1, b_1, W_2, b_2", "function")],
)
def test_the_other_fields_tell_the_form_where_it_is_not_said(tmp_path, component, parameters, form):
    from grader.catalog import load_assignment

    path = tmp_path / "assignment.yaml"
    path.write_text(f"{HEAD}  {component}:\n    callable: thing\n    parameters: [{parameters}]\n")
    require_known_interfaces(path)
    assert components.form_of(load_assignment(path).interface(component)) == form


def test_the_schema_knows_every_convention_of_every_component():
    schema = json.loads(CliRunner().invoke(command, ["assignment"]).output)
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema)
    file = {"schema": "grader/assignment/v1", "id": "a", "version": "1", "title": "A"}
    right = {"feed_forward": {"conventions": {"form": "function", "activation": "gelu"}}}
    assert valid.is_valid({**file, "components": right})
    for wrong in (
        {"softmax": {"conventions": {"activation": "gelu"}}},
        {"feed_forward": {"conventions": {"activation": "glue"}}},
        {"noam_lr": {"conventions": {"factor": "large"}}},
        {"no_such_component": {}},
    ):
        assert not valid.is_valid({**file, "components": wrong})
