"""What assignment.yaml may say of a component that is handed in as a function, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from inspect import Parameter
from typing import Any

from grader.component.calls import Case
from grader.component.component import Component
from grader.component.part import Complaint
from grader.errors import nearest
from grader.judging import promised
from grader.judging.settling import under
from grader.model.assignment import BESIDE, ONE, Interface


class _Noted(dict[str, Any]):
    """A domain that remembers which of its keys a ladder asked for."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__(content)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)


def of_function(component: Component, item: Interface) -> Iterator[Complaint]:
    """Yield field and complaint for parameters, returned values, further names and domain keys that there are not."""
    oracle, known = component.taken(), component.given
    for index, name in enumerate(item.parameters):
        if name not in known:
            yield ("parameters", index), f"there is no parameter {name!r}. {nearest(name, known)}"
    together = [parts for name, parts in component.bundles.items() if name in item.parameters]
    bundled = {part for parts in together for part in parts.values()}
    given = bundled | {*item.parameters} | under(component, item).unused
    lacking = [name for name, one in oracle.items() if one.default is Parameter.empty and name not in given]
    if item.parameters and lacking:
        yield ("parameters",), f"expected {', '.join(lacking)} among the parameters"
    values = component.returns or (ONE,)
    for index, name in enumerate(item.returns):
        if name not in (*values, BESIDE):
            known_values = nearest(name, values) if component.returns else f"It returns one value, {ONE}."
            yield ("returns", index), f"there is no returned value {name!r}. {known_values}"
    if item.returns and not item.judged:
        yield ("returns",), f"expected {' or '.join(values)} among them: the others are not judged"
    further = tuple(target for target in component.oracles if target != component.target)
    for name in item.names:
        if name not in further:
            cure = nearest(name, further) if further else "It has one callable."
            yield ("names", name), f"there is no further callable {name!r}. {cure}"
    yield from _of_torch(item.conventions)
    yield from _of_domain(component, item)


def _of_torch(said: Mapping[str, Any]) -> Iterator[Complaint]:
    """What tensors of torch alone can be."""
    if said.get("backend") == "torch":
        return
    if said.get("gradient"):
        yield ("conventions", "gradient"), "expected backend: torch beside it: arrays of numpy have no gradient"
    if said.get("float64") is False:
        yield ("conventions", "float64"), "expected backend: torch beside it: arrays of numpy are of float64"


def domain_of(component: Component) -> frozenset[str]:
    """The keys of a domain that the cases of a component look at."""
    domain = _Noted({})
    list(_cases(component, domain))
    return frozenset(domain.asked)


def _cases(component: Component, domain: Mapping[str, Any]) -> Iterator[Case]:
    import numpy as np

    return iter(promised.cases(component, component.ladder, np.random.default_rng(0), domain))


def _of_domain(component: Component, item: Interface) -> Iterator[Complaint]:
    domain = _Noted(item.domain)
    try:
        drawn = _cases(under(component, item), domain)
        some = next(drawn, None) is not None
        if item.domain:
            list(drawn)  # each may look at a further key
    except (TypeError, ValueError, KeyError, IndexError) as error:
        yield ("domain",), f"expected values that {item.component} takes ({error})"
        return
    for key in item.domain:
        if key not in domain.asked:
            yield ("domain", key), f"unknown field. {nearest(key, tuple(sorted(domain.asked)))}"
    if not some:
        yield ("domain",), f"leaves nothing that {item.component} could be asked"
