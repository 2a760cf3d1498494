"""A small module, filled with whole numbers and called, as lines to paste show it."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from grader.blocks.programs import Making
from grader.judging.snippet import Tried, imported
from grader.model.submission import CodeModule
from grader.paper.weights import Array

FILL = (
    "with torch.no_grad():",
    "    for i, p in enumerate(module.parameters()):",
    "        p.copy_(((7 * torch.arange(p.numel()) + i) % 5 - 1).reshape(p.shape))",
)
"""What :func:`grader.blocks.subject.whole` gives every parameter."""


def whole_numbers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs rounded to whole numbers that are not all alike."""
    return {name: _rounded(value) if isinstance(value, np.ndarray) else value for name, value in inputs.items()}


def _rounded(value: Array) -> Array:
    return np.rint(1.5 * value) if value.dtype.kind == "f" else value


def tried(
    making: Making, module: CodeModule | None, inputs: Mapping[str, Any], changes: Mapping[str, Any], changed: str = ""
) -> Tried | None:
    """Return the call of a small module; None where it is made or called in a way that lines to paste cannot show.

    ``changes`` replace arguments of the constructor; ``changed`` is an argument that is printed as it is afterwards.
    """
    texts = _constructed(making, module, changes)
    if texts is None or any(one.constant and not one.name for one in making.arguments):
        return None
    handed = making.handed(inputs)
    renamed = {"query": "x"} if "key" not in making.parameters else {}
    given = [(one, handed.get(renamed.get(one.value, one.value))) for one in making.arguments if not one.constant]
    passed = {one.name or one.value: None if value is None else _single(value) for one, value in given}
    passed |= {one.name: one.value for one in making.arguments if one.constant}
    by_name = making.called_by_name
    while passed and passed[next(reversed(passed))] is None:
        passed.popitem()
    imports, made = texts
    lines = (*imports, f"module = {made}.eval()", *FILL)
    return Tried(
        making.target, module, (passed,), torch=True, changed=(changed,) if changed else (), made=lines, by_name=by_name
    )


def _constructed(
    making: Making, module: CodeModule | None, changes: Mapping[str, Any]
) -> tuple[Iterable[str], str] | None:
    """What is imported for it, and the call that makes the module; None where lines cannot show it."""
    step = making.construct(**changes)
    if making.adapter is not None:
        return None
    imports: Iterable[str] = ()
    texts = {}
    for name, value in step["kwargs"].items():
        if isinstance(value, dict):
            fields = value.get("fields", {}).values()
            if not value.get("class") or not all(isinstance(field, PLAIN) for field in fields):
                return None
            imports = imported(value["class"], module)
            said = ", ".join(f"{key}={field!r}" for key, field in value["fields"].items())
            texts[name] = f"{value['class']}({said})"
        elif isinstance(value, PLAIN):
            texts[name] = repr(value)
        else:
            return None
    told = (f"{name}={text}" if "named" in step else text for name, text in texts.items())
    return imports, f"{making.target}({', '.join(told)})"


PLAIN = int | float | str | None
"""What can be written as it is."""


def _single(value: Array) -> Array:
    return value.astype(np.float32) if value.dtype.kind == "f" else value
