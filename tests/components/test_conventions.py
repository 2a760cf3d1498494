"""Every convention that a course can settle, in both directions: what is declared is right, the paper's is a mistake.

Generated from the records of the components: a new convention, or a new value, adds its own tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from grader import components
from grader.auditing.rehearsal import as_submitted, rehearse
from grader.component import Component
from grader.component.convention import mistake_id
from grader.model import Interface, Outcome, Verdict

EXAMPLE = 0.3
"""A number for conventions that take one."""


def _declarable() -> Iterator[tuple[str, str, Any]]:
    """Component, key and value of every setting of a function that turns a knob."""
    for name in components.names():
        if "function" in components.forms(name):
            for one in components.get(name, "function").conventions:
                values = [value for value in one.values if one.knobs(value)]
                yield from ((name, one.key, value) for value in (*values, *([EXAMPLE] if one.number else [])))


DECLARABLE = list(_declarable())


def _interface(name: str, **conventions: Any) -> Interface:
    return Interface(name, name, conventions={"form": "function", **conventions})


def _component(interface: Interface) -> Component:
    component = components.of(interface, "function")
    assert isinstance(component, Component)
    return component


def _graded(interface: Interface, as_: Interface) -> tuple[Outcome, ...]:
    """The right function of ``as_`` handed in where ``interface`` is set."""
    component = _component(interface)
    return rehearse(component, as_submitted(_component(as_), as_), interface)


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_keeps_every_point(name: str, key: str, value: Any) -> None:
    declared = _interface(name, **{key: value})
    assert [one.check for one in _graded(declared, declared) if one.verdict is not Verdict.PASSED] == []


HARMLESS = {("label_smoothing", "scores")}
"""To normalise log-probabilities again changes nothing: who does it as for logits is right."""
TELLING = [one for one in DECLARABLE if one[:2] not in HARMLESS]


@pytest.mark.parametrize(("name", "key", "value"), TELLING)
def test_the_paper_is_then_a_mistake_with_a_name(name: str, key: str, value: Any) -> None:
    declared, paper = _interface(name, **{key: value}), _interface(name)
    found = _graded(declared, paper)
    default = next(one.convention.default for one in components.get(name, "function").conventions if one.key == key)
    named = {one.diagnosis.id for one in found if one.verdict is not Verdict.PASSED and one.diagnosis}
    assert named == {mistake_id(key, default)}


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_is_a_mistake_without_the_declaration(name: str, key: str, value: Any) -> None:
    declared, paper = _interface(name, **{key: value}), _interface(name)
    assert any(one.verdict is Verdict.FAILED for one in _graded(paper, declared))


@pytest.mark.parametrize(("name", "key", "value"), DECLARABLE)
def test_what_is_declared_is_no_mistake_of_any_name(name: str, key: str, value: Any) -> None:
    component = _component(_interface(name, **{key: value}))
    knobs = dict(component.settings)
    assert knobs
    own = [one for one in component.misconceptions if not one.id.startswith(f"course-{key.replace('_', '-')}")]
    assert not [one.id for one in own if any(one.knobs.get(k) == v for k, v in knobs.items())]


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in DECLARABLE))
def test_the_papers_own_value_declared_changes_nothing(name: str) -> None:
    component = components.get(name, "function")
    paper = {one.key: one.convention.default for one in component.conventions if one.convention.default in one.values}
    assert components.of(replace(_interface(name), conventions={"form": "function", **paper})).misconceptions == (
        component.misconceptions
    )
