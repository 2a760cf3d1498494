"""A small module, filled with whole numbers and called, as lines to paste show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks.programs import Making
from grader.judging.snippet import Tried
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
    step = making.construct(**changes)
    arguments = step.get("kwargs", {})
    given = {name: value for name, value in inputs.items() if value is not None}
    usual = making.mask == "attend" and making.batch == "first" and not (making.adapter or making.called_by_name)
    plain = all(isinstance(value, int | float) for value in arguments.values())
    if not (usual and plain and all(isinstance(value, np.ndarray) for value in given.values())):
        return None
    made = ", ".join(f"{name}={value}" if "named" in step else str(value) for name, value in arguments.items())
    passed = {name: _single(given[name]) if name in given else None for name in making.parameters}
    while passed and passed[next(reversed(passed))] is None:
        passed.popitem()
    lines = (f"module = {making.target}({made}).eval()", *FILL)
    return Tried(making.target, module, (passed,), torch=True, changed=(changed,) if changed else (), made=lines)


def _single(value: Array) -> Array:
    return value.astype(np.float32) if value.dtype.kind == "f" else value
