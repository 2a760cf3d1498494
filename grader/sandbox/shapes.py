"""The form of what each step reports: the child's own code gives no other, so any other was made up by student code.

What a student's function returns may be anything. The words of the child about it (inventories, traces, gradients)
are forged as easily; here they are only held to their form, so that whoever reads them need not doubt it.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Step = Mapping[str, Any]
Form = Callable[[Any], bool]


def fit(steps: Sequence[Step], values: Sequence[Any]) -> bool:
    """Tell whether each value has the form that its step reports; values may end before the steps do."""
    return all(_FORMS[step["do"]](step, value) for step, value in zip(steps, values, strict=False))


def _text(value: Any) -> bool:
    return type(value) is str


def _flag(value: Any) -> bool:
    return type(value) is bool


def _size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _list(form: Form) -> Form:
    return lambda value: type(value) is list and all(map(form, value))


def _row(**forms: Form) -> Form:
    """A dict with exactly these keys."""
    return lambda value: (
        type(value) is dict and value.keys() == forms.keys() and all(f(value[k]) for k, f in forms.items())
    )


def _pair(value: Any) -> bool:
    return type(value) is list and len(value) == 2 and all(map(_text, value))


def _anything(_value: Any) -> bool:
    return True


def _gradient_of_one(value: Any) -> bool:
    if value is None:
        return True
    numpy = sys.modules.get("numpy")  # there, if an array was read
    return numpy is not None and type(value) is numpy.ndarray and value.dtype.kind in "fc"


def _gradients(value: Any) -> bool:
    return type(value) is dict and all(map(_gradient_of_one, value.values()))


_parameter = _row(
    name=_text,
    shape=_list(_size),
    requires_grad=_flag,
    owner_class=_text,
    same_as=lambda value: value is None or _text(value),
    apart=_flag,
)
_parts = _row(
    parameters=_list(_parameter),
    hidden=_list(_parameter),
    loose=_list(_row(name=_text, shape=_list(_size))),
    unlearned=_list(_row(name=_text, shape=_list(_size))),
    unregistered=_list(_text),
    repeated=_list(_pair),
)
_traced = _row(value=_anything, uses=_list(_pair))
_differentiated = _row(parameters=_gradients, inputs=_gradients)


def _inventory(_step: Step, value: Any) -> bool:
    if not _parts(value):
        return False
    rows = [*value["parameters"], *value["hidden"]]
    names = {row["name"] for row in rows}
    return all(row["same_as"] is None or row["same_as"] in names for row in rows)


def _gradient(step: Step, value: Any) -> bool:
    return _differentiated(value) and list(value["inputs"]) == list(step.get("inputs", []))


def _call(step: Step, value: Any) -> bool:
    return value is None or not step.get("quiet")


def _alone(form: Form) -> Callable[[Step, Any], bool]:
    return lambda _step, value: form(value)


_FORMS: dict[str, Callable[[Step, Any], bool]] = {
    **dict.fromkeys(
        ("let", "construct", "seed", "mode", "weights", "move", "train_copy", "spoil"),
        _alone(lambda value: value is None),
    ),
    "get": _alone(_anything),
    "call": _call,
    "random_state": _alone(_text),
    "inventory": _inventory,
    "trace": _alone(_traced),
    "gradient": _gradient,
    "copy_scores": _alone(_anything),
    "decode_copies": _alone(_list(_list(_size))),
}
