"""The right answer for other arguments: exchanged, or changed before anything is computed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from grader.component.calls import Inputs
from grader.component.checks import Misconception
from grader.judging.relation import Function, named

_MOST_GROUPS = 40
_ARGUMENTS: Mapping[str, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    "number": (
        ("is taken one too large", lambda value: value + 1),
        ("is taken one too small", lambda value: value - 1),
        ("is taken one too small, and at least 1", lambda value: max(value - 1, 1)),
        ("is doubled", lambda value: 2 * value),
        ("is halved", lambda value: value / 2),
        ("is halved and rounded down", lambda value: value // 2),
        ("is squared", lambda value: value * value),
    ),
    "array": (
        ("is transposed", lambda value: value.swapaxes(-1, -2) if value.ndim > 1 else value),
        ("is reversed along its last axis", lambda value: value[..., ::-1]),
        ("is reversed along its first axis", lambda value: value[::-1]),
        ("is sorted", np.sort),
        ("is sorted, largest first", lambda value: -np.sort(-value)),
        ("has the wrong sign", np.negative),
        ("is replaced by its first row", lambda value: np.broadcast_to(value[:1], value.shape)),
        ("is cut to whole numbers", np.trunc),
        ("is taken without its sign", np.abs),
        ("is doubled", lambda value: 2 * value),
        ("is one too large", lambda value: value + 1),
        ("is one too small", lambda value: value - 1),
    ),
}


def other_arguments(oracle: Function, asked: Sequence[Inputs]) -> Iterable[tuple[Misconception, Function]]:
    """The right answer for arguments that have changed places, that stay what they were, or that are another number."""
    names = list(dict.fromkeys(name for inputs in asked for name in inputs))
    kinds = {name: {_kind(inputs[name]) for inputs in asked if name in inputs} for name in names}
    alike = [
        (one, other)
        for one, other in combinations(names, 2)
        if kinds[one] == kinds[other] and len(kinds[one]) == 1 and kinds[one] <= {"array", "number"}
    ]
    for one, other in alike:
        yield named("arguments-exchanged", f"{one} and {other}"), _with(oracle, {one: other, other: one})
    groups = list(combinations([n for n in names if kinds[n] == {"array"}], 3))
    for group in groups if len(groups) <= _MOST_GROUPS else ():
        for turned in permutations(group):
            if all(one != other for one, other in zip(group, turned, strict=True)):
                words = ", ".join(f"{other} as {one}" for one, other in zip(group, turned, strict=True))
                yield named("arguments-exchanged", words), _with(oracle, dict(zip(group, turned, strict=True)))
    for name in names:
        for words, change in _ARGUMENTS.get(next(iter(kinds[name])), ()) if len(kinds[name]) == 1 else ():
            yield named("argument-changed-first", f"{name} {words}"), _after(oracle, name, change)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "array" if value.ndim else "number"
    if isinstance(value, list) and value and all(isinstance(entry, int | float) for entry in value):
        return "array"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "other"


def _with(oracle: Function, taken: Mapping[str, str]) -> Function:
    """The oracle with arguments under other names."""

    def function(**inputs: Any) -> Any:
        return oracle(**{name: inputs[taken.get(name, name)] for name in inputs})

    return function


def _after(oracle: Function, name: str, change: Callable[[Any], Any]) -> Function:
    """The oracle with one argument changed first."""

    def function(**inputs: Any) -> Any:
        if name not in inputs:
            return oracle(**inputs)
        given = inputs[name]
        return oracle(**{**inputs, name: change(np.asarray(given) if isinstance(given, list) else given)})

    return function
