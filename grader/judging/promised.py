"""Only what a hand-out promises is asked: its axes, its parameters, a mask in every call, whole numbers.

Cases speak of the smallest arrays that show something. Where the hand-out knows more axes, a call gets them in front,
each of size 1, and its answer loses them again before it is judged; what cannot be brought into the promised form is
not asked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any

import numpy as np

from grader.component.calls import Call, Case, Differentiated, Ladder, Watched
from grader.component.component import Component, as_written

Domain = Mapping[str, Any]
SMALLEST = 2
"""Axes of the arrays in most cases: one with more is asked as it is, or not at all."""


def cases(component: Component, ladder: Ladder, rng: np.random.Generator, domain: Domain) -> Iterable[Case]:
    """The cases of ``ladder`` (the component's own, or its probes) that the hand-out does not rule out."""
    for case in ladder(rng, domain):
        if "integer" in case.tags and not domain.get("whole_numbers", component.whole_numbers):
            continue
        if fitted(component, Call(case.inputs, case.target), domain) is not None:
            yield case


def fitted(component: Component, call: Call, domain: Domain) -> Call | None:
    """The call in the form that the hand-out promises; None where it has none."""
    if call.gradient and not component.gradients:
        return None
    if (call.target or component.target) != component.target:
        return call
    defaults = _defaults(component)
    given = dict(call.inputs)
    for name in component.left_out & given.keys():
        if not _same(given.pop(name), defaults.get(name)):
            return None
    lifted = _axes_to_add(component, given, domain)
    if lifted is None:
        return None
    if component.mask_required and given.get("mask") is None and component.mask_shape is not None:
        given["mask"] = np.ones(component.mask_shape(given), dtype=bool)
    for name in _lifted_names(component, given) if lifted else ():
        given[name] = given[name].reshape((1,) * lifted + given[name].shape)
    return replace(call, inputs=given, lifted=lifted)


def plainly(component: Component, case: Case, call: Call, value: Any) -> Any:
    """An answer without what the call was given beyond its case: axes in front, a mask that blocks nothing."""
    if component.mask_required and isinstance(value, Watched):
        value = replace(value, after={name: item for name, item in value.after.items() if name in case.inputs})
    if not call.lifted:
        return value
    if isinstance(value, Watched):
        names = _lifted_names(component, call.inputs)
        after = {name: _bare(item, call.lifted) if name in names else item for name, item in value.after.items()}
        return replace(value, value=_bare(value.value, call.lifted), after=after)
    if isinstance(value, Differentiated):
        return Differentiated(_bare(value.value, call.lifted), _bare(value.gradient, call.lifted))
    return _bare(value, call.lifted)


def _bare(value: Any, axes: int) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_bare(item, axes) for item in value)
    array = getattr(value, "array", value)
    if isinstance(array, np.ndarray) and array.shape[:axes] == (1,) * axes:
        return array.reshape(array.shape[axes:])
    return value


def _axes_to_add(component: Component, given: Mapping[str, Any], domain: Domain) -> int | None:
    """How many axes the call needs in front to have a promised number of them; None where it has too many."""
    first = given.get(component.ranked[0]) if component.ranked else None
    ranks = domain.get("ranks") if first is not None else None
    if not ranks:
        return 0
    rank = np.ndim(np.asarray(first))
    if rank in ranks:
        return 0
    more = [one - rank for one in ranks if one > rank]
    return min(more) if more and rank <= SMALLEST else None


def _lifted_names(component: Component, given: Mapping[str, Any]) -> list[str]:
    """The arguments that go with the leading axes: what is counted by ``ranks``, and masks."""
    return [
        name for name, value in given.items() if isinstance(value, np.ndarray) and name in (*component.ranked, "mask")
    ]


@lru_cache(maxsize=256)
def _defaults(component: Component) -> dict[str, Any]:
    taken = signature(as_written(component.oracle())).parameters
    return {name: one.default for name, one in taken.items() if one.default is not Parameter.empty}


def _same(value: Any, default: Any) -> bool:
    return value is None or (not isinstance(value, np.ndarray) and bool(value == default))
