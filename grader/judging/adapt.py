"""Canonical calls to the assignment's own conventions and back; nothing else knows that they differ.

Checks speak one canonical convention: True = may attend, batch first, the oracle's parameter names, the oracle's
order of returned values.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from grader.component.calls import Call, Differentiated, Rng, StepFn, Watched
from grader.component.component import Component
from grader.component.convention import declared
from grader.model.assignment import ONE, Argument, Interface
from grader.properties import NOT_ASKED, TRUTH, as_array

NEGATIVE = -1e9
"""Additive masks block with this; added to scores of ordinary size it leaves no weight in float32 or float64."""


def conventions(interface: Interface, reading: Mapping[str, Any]) -> dict[str, Any]:
    """The declared conventions, overridden by those the student was found to keep."""
    return {**interface.conventions, **reading}


def steps_of(
    call: Call, component: Component, interface: Interface, reading: Mapping[str, Any], *, by_keyword: bool = False
) -> tuple[dict[str, Any], ...]:
    """Compile a canonical call to the plain steps that the child takes."""
    kept = conventions(interface, reading)
    target = call.target or component.target
    values = {name: _outward(name, value, kept) for name, value in _counted(call.inputs, component, kept).items()}
    name = interface.callable if target == component.target else interface.names.get(target, target)
    if call.gradient:
        return _differentiating(call, values, component, interface, name, by_keyword=by_keyword)
    if not call.watch:
        bound = _bind(values, component, interface, target, by_keyword=by_keyword)
        step: dict[str, Any] = {"do": "call", **_whom(name, target, component, interface), **bound}
        if kept.get("gradient"):
            step["grad"] = True
        return (step,) * call.repeat
    kept_values = {key: value for key, value in values.items() if _is_array(value)}
    refs = {key: {"$": "ref", "name": key} if key in kept_values else value for key, value in values.items()}
    bound = _bind(refs, component, interface, target, by_keyword=by_keyword)
    return (
        *({"do": "let", "as": key, "value": value} for key, value in kept_values.items()),
        {"do": "random_state"},
        {"do": "call", **_whom(name, target, component, interface), **bound},
        {"do": "random_state"},
        *({"do": "get", "name": key} for key in kept_values),
    )


def _whom(name: str, target: str, component: Component, interface: Interface) -> dict[str, Any]:
    """What is called: the student's function of that name, or the assignment's lines that call it."""
    adapter = interface.adapter
    if adapter is None or (target != component.target and target not in adapter.further):
        return {"target": name}
    return {"adapter": asdict(adapter), **({"method": target} if target != component.target else {})}


def _differentiating(
    call: Call, values: Mapping[str, Any], component: Component, interface: Interface, name: str, *, by_keyword: bool
) -> tuple[dict[str, Any], ...]:
    by, target = call.gradient, call.target or component.target
    bound = _bind({**values, by: {"$": "ref", "name": by}}, component, interface, target, by_keyword=by_keyword)
    return (
        {"do": "let", "as": by, "value": {**values[by], "grad": True}},
        {"do": "call", **_whom(name, target, component, interface), **bound, "as": "result", "grad": True},
        {"do": "gradient", "of": "result", "on": None, "inputs": [by], "seed_array": None},
    )


def refused_to_differentiate(call: Call, failed_step: int) -> bool:
    """Whether the step that failed is the differentiation, so that the value itself came back."""
    return bool(call.gradient) and failed_step == len(("let", "call"))


def answer_of(
    call: Call, values: tuple[Any, ...], component: Component, interface: Interface, reading: Mapping[str, Any]
) -> Any:
    """Read the child's step results back into canonical terms."""
    kept = conventions(interface, reading)
    if call.gradient:
        found = values[2]["inputs"].get(call.gradient) if len(values) > 2 else None  # noqa: PLR2004 - let, call, gradient
        return Differentiated(_inward(values[1], component, interface, kept, call), found)
    if not call.watch:
        answers = [_inward(value, component, interface, kept, call) for value in values]
        return answers[0] if call.repeat == 1 else answers
    names = [name for name, value in call.inputs.items() if _is_array(_outward(name, value, kept))]
    lets = len(names)
    before, value, after = values[lets : lets + 3]
    final = {name: _inward_argument(name, item, kept) for name, item in zip(names, values[lets + 3 :], strict=True)}
    if kept.get(SINGLE):  # what is as it was given is as the case has it
        final = {name: _as_in_the_case(call.inputs[name], item) for name, item in final.items()}
    return Watched(_inward(value, component, interface, kept, call), final, str(before), str(after))


def _as_in_the_case(given: Any, after: Any) -> Any:
    """An argument after the call, where that was given in single precision."""
    same = isinstance(given, np.ndarray) and isinstance(after, np.ndarray) and given.shape == after.shape
    return given if same and np.array_equal(given.astype(after.dtype), after, equal_nan=True) else after


def _bind(
    values: Mapping[str, Any], component: Component, interface: Interface, target: str, *, by_keyword: bool
) -> dict[str, Any]:
    """Positional in the hand-out's order, so that a renamed parameter costs nothing; defaults at the end left out.

    ``by_keyword`` leaves it to the child to fit the values to what the student's function takes.
    """
    given, spare = _in_order(values, component, interface, target)
    if by_keyword:
        return {"args": [], "kwargs": given, "fit": list(spare)}
    if interface.by_keyword and target == component.target:
        return {"args": [], "kwargs": {name: value for name, value in given.items() if name not in spare}}
    order = list(given)
    while order and order[-1] in spare:
        order.pop()
    return {"args": [given[name] for name in order], "kwargs": {}}


def _in_order(
    values: Mapping[str, Any], component: Component, interface: Interface, target: str
) -> tuple[dict[str, Any], frozenset[str]]:
    """The arguments in the hand-out's order, and the names of those that have their default value.

    A constant of the hand-out is passed in every call; one that stands for a parameter of ours gives way to a case's
    own value.
    """
    oracle = component.taken(target)
    values = bundled(values, component, interface)
    given: dict[str, Any] = {}
    spare: set[str] = set()
    for place, one in enumerate(_asked_for(component, interface, target, tuple(oracle))):
        ours = one.name if one.constant else one.value
        if not one.constant and ours not in values and ours not in oracle:
            continue
        name = one.name or (f"argument {place + 1}" if one.constant else one.value)
        default = _default(oracle, ours)
        given[name] = values.get(ours, one.value if one.constant else default)
        if not one.constant and _is_default(given[name], default):
            spare.add(name)
    return given, frozenset(spare)


def _asked_for(
    component: Component, interface: Interface, target: str, oracle: tuple[str, ...]
) -> tuple[Argument, ...]:
    """The arguments of a call to ``target``, in order: as the hand-out has them, else as the oracle has.

    Of a further callable no hand-out lists any: what means nothing there is not passed.
    """
    if target == component.target:
        return interface.arguments or tuple(map(Argument, interface.parameters or oracle))
    return tuple(Argument(name) for name in oracle if name not in component.unused)


def as_passed(call: Call, component: Component, interface: Interface) -> dict[str, Any]:
    """The arguments of a call as the hand-out has them, for people: its order, its meaning of a mask.

    Defaults at the end are left out, as they are when the call is made.
    """
    kept = interface.conventions
    values = {
        name: _mask_outward(value, kept) if isinstance(value, np.ndarray) and _is_mask(name) else value
        for name, value in _counted(call.inputs, component, kept).items()
    }
    given, spare = _in_order(values, component, interface, call.target or component.target)
    order = list(given)
    while order and order[-1] in spare:
        order.pop()
    return {name: given[name] for name in order}


def as_returned(value: Any, component: Component, interface: Interface) -> Any:
    """A value as the hand-out has it, for people: its meaning of a mask, its order of returned values."""
    if component.returns_mask and isinstance(value, np.ndarray):
        if value.dtype.kind == "b" or value.dtype == TRUTH:
            return _mask_outward(value, interface.conventions)
        if interface.conventions.get("mask") == "block" and np.isin(value, (0, 1)).all():
            return (1 - value).astype(value.dtype)
    if not interface.returns:
        return value
    if not component.returns:
        return tuple(value if name == ONE else None for name in interface.returns)
    if isinstance(value, tuple | list) and len(value) == len(component.returns):
        found = dict(zip(component.returns, value, strict=True))
        several = tuple(found.get(name) for name in interface.returns)
        return several if len(several) > 1 else several[0]  # a lone value stands bare
    return value


def _counted(
    values: Mapping[str, Any], component: Component, kept: Mapping[str, Any], *, back: bool = False
) -> dict[str, Any]:
    """The arguments with whole numbers as the hand-out counts them; as the paper does where they come ``back``."""
    added = {
        name: more
        for one, value in declared(component.settled, kept)
        for name, more in one.added.get(value, {}).items()
    }
    sign = -1 if back else 1
    return {name: value + sign * added[name] if name in added else value for name, value in values.items()}


def _is_mask(name: str) -> bool:
    return name == "mask" or name.endswith("_mask")


def bundled(values: Mapping[str, Any], component: Component, interface: Interface) -> dict[str, Any]:
    """The arguments as the hand-out groups them: several of the oracle's parameters in one dict where it asks so."""
    given = dict(values)
    for name, parts in component.bundles.items():
        if name in interface.parameters:
            given[name] = {key: given.pop(part) for key, part in parts.items() if part in given}
    return given


def _default(oracle: Mapping[str, inspect.Parameter], name: str) -> Any:
    parameter = oracle.get(name)
    return None if parameter is None or parameter.default is parameter.empty else parameter.default


def _is_default(value: Any, default: Any) -> bool:
    return value is None or (
        type(value) is type(default) and not isinstance(value, np.ndarray | dict) and value == default
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (isinstance(value, dict) and value.get("$") == "tensor")


def _outward(name: str, value: Any, kept: Mapping[str, Any]) -> Any:
    if isinstance(value, Rng | StepFn):
        return value.node()
    if not isinstance(value, np.ndarray):
        return value
    array = _mask_outward(value, kept) if _is_mask(name) else value
    if kept.get("float64") is False and array.dtype.kind == "f":
        array = array.astype(np.float32)
    if kept.get("backend") == "torch":
        array = array.astype(np.float32) if kept.get(SINGLE) and array.dtype == np.float64 else array
        return {
            "$": "tensor",
            "array": array,
            "grad": bool(kept.get("gradient")) and array.dtype.kind == "f",
            "contiguous": bool(array.flags.c_contiguous),
        }
    return array


def _inward_argument(name: str, value: Any, kept: Mapping[str, Any]) -> Any:
    array = getattr(value, "array", value)
    return mask_inward(array, kept) if _is_mask(name) else array


SINGLE = "of float32"
"""What is kept, beside conventions, where tensors are given in single precision."""
_TYPES: Mapping[str, type[np.generic]] = {"int": np.int64, "byte": np.uint8, "float": np.float64}


OF_HEADS = 4
"""Axes of a mask that has one for the heads."""


def _mask_outward(mask: np.ndarray[Any, Any], kept: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    if mask.dtype == TRUTH:
        return mask.astype(bool)
    if kept.get("mask_heads") is False and mask.ndim == OF_HEADS:
        mask = mask[:, 0]  # it is the same for all
    if kept.get("mask") == "additive":
        return np.where(mask, 0.0, -np.inf if kept.get("mask_hides") == "infinite" else NEGATIVE)
    turned = ~mask.astype(bool) if kept.get("mask") == "block" else mask
    return turned.astype(_TYPES.get(str(kept.get("mask_type")), turned.dtype))


def mask_inward(mask: Any, kept: Mapping[str, Any]) -> Any:
    """Read a mask that the student built into the canonical meaning; a value that is no mask stays as it is."""
    if not isinstance(mask, np.ndarray):
        return mask
    if mask.dtype == TRUTH:  # their own numbers
        mask = mask.astype(np.int64)
    if kept.get("mask_heads") is False and mask.ndim == OF_HEADS - 1:
        mask = mask[:, None]
    if kept.get("mask_type") in _TYPES and mask.dtype.kind in "iuf" and np.isin(mask, (0, 1)).all():
        mask = mask.astype(bool)
    match kept.get("mask", "attend"):
        case "block" if mask.dtype.kind == "b":
            return ~mask
        case "block" if np.isin(mask, (0, 1)).all():
            return (1 - mask).astype(mask.dtype)
        case "additive" if mask.dtype.kind == "b":
            return mask.astype(TRUTH)
        case "additive" if mask.dtype.kind == "f" and not np.isnan(mask).any():
            return mask > -1.0  # whatever a student blocks with: it lies far below 0
        case _:
            return mask


def _unwrapped(value: Any, kept: Mapping[str, Any]) -> Any:
    """Take off what a student was found to wrap the answer in: further results, or axes of size 1 beyond ``rank``."""
    if kept.get("results") == "first" and isinstance(value, tuple | list) and len(value) > 1:
        value = value[0]
    array = as_array(value) if "rank" in kept else None
    while array is not None and array.ndim > kept["rank"] and 1 in array.shape:
        value = array = np.squeeze(array, array.shape.index(1))
    return value


def _inward(value: Any, component: Component, interface: Interface, kept: Mapping[str, Any], call: Call) -> Any:
    value = _unwrapped(value, kept)
    if component.inward is not None:
        value = component.inward(value, kept)
    for one in component.settled:
        if one.reads is not None and one.key in kept:
            value = one.reads(value, kept[one.key], call.inputs)
    target = call.target or component.target
    if target != component.target or interface.returns in ((), component.returns):
        return value
    several = isinstance(value, tuple | list) and len(value) == len(interface.returns) > 1
    if several:
        found = dict(zip(interface.returns, value, strict=True))
    elif len(interface.judged) == 1:  # what may lie beside it is not missed
        found = {interface.judged[0]: value}
    else:
        return value
    return tuple(found.get(name, NOT_ASKED) for name in component.returns) if component.returns else found[ONE]


def as_student(function: Callable[..., Any], component: Component, interface: Interface, target: str) -> Any:
    """``function`` of our names and meanings as a student of this assignment would have written it.

    It takes the hand-out's arguments in the hand-out's order, reads its masks, and returns what the hand-out asks for.
    """
    oracle = tuple(component.taken(target))
    asked = _asked_for(component, interface, target, oracle)
    theirs = [one.name or (f"argument {at + 1}" if one.constant else one.value) for at, one in enumerate(asked)]
    ours = [one.name if one.constant else one.value for one in asked]
    rename = dict(zip(theirs, ours, strict=True))
    known = {*oracle, *component.bundles}

    def submitted(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(ours, args, strict=False)), **{rename.get(name, name): v for name, v in kwargs.items()}}
        given = {name: value for name, value in given.items() if name in known}
        for name, parts in component.bundles.items():
            if name in given:
                given |= {part: given[name][key] for key, part in parts.items()}
                del given[name]
        given = _counted(given, component, interface.conventions, back=True)
        missing = dict.fromkeys(component.unused - given.keys())
        read = {name: _read_mask(name, value, interface) for name, value in {**given, **missing}.items()}
        return as_returned(function(**read), component, interface)

    return submitted


def _read_mask(name: str, value: Any, interface: Interface) -> Any:
    if not _is_mask(name) or not isinstance(value, np.ndarray):
        return value
    return mask_inward(value, interface.conventions)
