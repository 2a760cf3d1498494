"""What assignment.yaml says of each component, compared with the component itself: names, domain, conventions.

A wrong field would otherwise show as a fault of the grader while a student's work is judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from grader.catalog.assignments import load_assignment
from grader.catalog.places import nearest
from grader.catalog.yaml_file import InvalidFileError, Path_, read_yaml
from grader.model import Interface

CHOICES = {"mask": ("attend", "block", "additive", "either"), "norm": ("post", "pre", "either")}


class _Watched(dict[str, Any]):
    """A domain that remembers which of its keys a ladder asked for."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__(content)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


def require_known_interfaces(path: Path) -> None:
    """Raise InvalidFileError where assignment.yaml at ``path`` asks a component for what it does not have."""
    source = read_yaml(path)
    found = [
        source.problem(("components", item.component, *field), complaint)
        for item in load_assignment(path).interfaces
        for field, complaint in complaints(item)
    ]
    if found:
        raise InvalidFileError(found)


def complaints(item: Interface) -> Iterator[tuple[Path_, str]]:
    """Say what an assignment asks of a component that it does not have: the field, and what is wrong with it."""
    from grader import components
    from grader.blocks.examine import Block

    if item.component not in components.names():
        known = nearest(item.component, components.names())
        yield (), f"there is no component {item.component!r}. {known}"
        return
    forms = components.forms(item.component)
    form = item.conventions.get("form", forms[0] if len(forms) == 1 else "")
    if form and form not in forms:
        yield ("conventions", "form"), f"expected {' or '.join(forms)}, found {form!r}"
        return
    for key, values in CHOICES.items():
        if item.conventions.get(key, values[0]) not in values:
            yield ("conventions", key), f"expected {', '.join(values[:-1])} or {values[-1]}, {_found(item, key)}"
    for index, name in enumerate(item.parameters):
        if name in item.parameters[:index]:
            yield ("parameters", index), f"{name!r} is given twice"
    component = components.get(item.component, form)
    if form != "class" and hasattr(component, "ladder"):
        yield from _of_function(item, component)
    elif isinstance(component, Block):
        yield from component.complaints(item)


def _found(item: Interface, key: str) -> str:
    return f"found {item.conventions[key]!r}"


def _of_function(item: Interface, component: Any) -> Iterator[tuple[Path_, str]]:
    taken = signature(component.oracle(component.target)).parameters
    oracle = {name: one for name, one in taken.items() if one.kind is not Parameter.KEYWORD_ONLY}
    known = (*oracle, *component.bundles)
    for index, name in enumerate(item.parameters):
        if name not in known:
            yield ("parameters", index), f"there is no parameter {name!r}. {nearest(name, known)}"
    together = [parts for name, parts in component.bundles.items() if name in item.parameters]
    bundled = {part for parts in together for part in parts.values()}
    given = bundled | {*item.parameters}
    lacking = [name for name, one in oracle.items() if one.default is Parameter.empty and name not in given]
    if item.parameters and lacking:
        yield ("parameters",), f"expected {', '.join(lacking)} among the parameters"
    for index, name in enumerate(item.returns):
        if name not in component.returns:
            known_values = nearest(name, component.returns) if component.returns else "It returns one value."
            yield ("returns", index), f"there is no returned value {name!r}. {known_values}"
    yield from _of_domain(item, component)


def _of_domain(item: Interface, component: Any) -> Iterator[tuple[Path_, str]]:
    import numpy as np

    domain = _Watched(item.domain)
    try:
        list(component.ladder(np.random.default_rng(0), domain))
    except (TypeError, ValueError, KeyError, IndexError) as error:
        yield ("domain",), f"expected values that {item.component} takes ({error})"
        return
    for key in item.domain:
        if key not in domain.asked:
            yield ("domain", key), f"unknown field. {nearest(key, tuple(sorted(domain.asked)))}"
