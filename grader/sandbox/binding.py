"""Arguments fitted to a callable's own signature: what a hand-out calls by position a student may take by keyword."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def fit(
    function: Callable[..., Any], values: Mapping[str, Any], optional: Sequence[str]
) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and keyword arguments that hand ``values``, in the hand-out's order, to ``function``.

    Keyword-only parameters take the value of their own name (in any case), the others what is left, in order.
    ``optional`` names values that equal the hand-out's default: they are given only where nothing else would be.
    What finds no parameter is added at the end, so that the call fails as it would anywhere.
    """
    called = function if _is_class(function) else getattr(function, "forward", function)  # a torch module
    try:
        parameters = list(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):
        return [value for name, value in values.items() if name not in optional], {}
    left = dict(values)
    placed: list[tuple[inspect.Parameter, Any]] = []
    spelt = {name.casefold(): name for name in values}
    named = [item for item in parameters if item.kind is inspect.Parameter.KEYWORD_ONLY]
    for item in named:
        name = spelt.get(item.name.casefold())
        if name in left:
            _place(placed, item, left, name, optional)
    taken = {item.name for item, _ in placed} | {item.name for item in named if item.name.casefold() in spelt}
    positional = [item for item in parameters if item.kind in _POSITIONAL]
    for item in [*positional, *(item for item in named if item.name not in taken)]:
        if left:
            _place(placed, item, left, next(iter(left)), optional)
    return _arguments(placed, {name: value for name, value in left.items() if name not in optional}, parameters)


def named(
    function: Callable[..., Any], values: Mapping[str, Any], optional: Sequence[str]
) -> tuple[list[Any], dict[str, Any]]:
    """Return keyword arguments that hand ``values`` to ``function`` by the hand-out's own names.

    ``optional`` names values that equal the hand-out's default: a function that does not take them, or has a default of
    its own, is not given them.
    """
    called = function if _is_class(function) else getattr(function, "forward", function)
    try:
        parameters = inspect.signature(called).parameters
    except (TypeError, ValueError):
        return [], {name: value for name, value in values.items() if name not in optional}
    needed = {name for name, item in parameters.items() if item.default is item.empty}
    return [], {name: value for name, value in values.items() if name not in optional or name in needed}


def _is_class(thing: Any) -> bool:
    """Whether it is a class, whatever it says of its own."""
    return issubclass(type(thing), type)


def instance(function: Any) -> Any:
    """What is called of a class that is made of nothing: its thing, or that thing's ``forward``; else what is given."""
    if not _is_class(function) or not (hasattr(function, "forward") or "__call__" in function.__dict__):
        return function
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return function
    thing = function()
    return thing if callable(thing) else thing.forward


def _place(
    placed: list[tuple[inspect.Parameter, Any]],
    item: inspect.Parameter,
    left: dict[str, Any],
    name: str,
    optional: Sequence[str],
) -> None:
    """Move one value from ``left`` to its parameter; a default of the student's own stands for the hand-out's."""
    value = left.pop(name)
    if name not in optional or item.default is item.empty:
        placed.append((item, value))


def _arguments(
    placed: Sequence[tuple[inspect.Parameter, Any]], left: Mapping[str, Any], parameters: Sequence[inspect.Parameter]
) -> tuple[list[Any], dict[str, Any]]:
    order = [item for item in parameters if item.kind in _POSITIONAL]
    given = {item.name: value for item, value in placed}
    args: list[Any] = []
    for item in order:  # by position up to the first gap, by keyword beyond it
        if item.name not in given:
            break
        args.append(given.pop(item.name))
    kinds = {item.kind for item in parameters}
    by_name = inspect.Parameter.VAR_KEYWORD in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds
    if by_name and len(args) == len(order):
        return args, given | dict(left)
    return [*args, *left.values()], given
