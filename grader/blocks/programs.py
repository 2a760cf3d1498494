"""The steps that are asked of a module, as plain data for the child."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.blocks.sizes import Sizes

Step = dict[str, Any]
Steps = tuple[Step, ...]
BUILD_SEED = 1706


@dataclass(frozen=True, slots=True)
class Sublayer:
    """A callable argument ``x -> x @ weight + bias`` that the child builds."""

    weight: np.ndarray[Any, Any]
    bias: np.ndarray[Any, Any]

    def __call__(self, x: Any) -> Any:
        """Apply it to an array."""
        return x @ self.weight + self.bias

    def node(self) -> Step:
        """How the child is told."""
        return {"$": "sublayer", "kind": "linear", "weight": self.weight, "bias": self.bias}


@dataclass(frozen=True, slots=True)
class Making:
    """How the submission's class is constructed and called, in the assignment's order and names."""

    target: str
    constructor: tuple[str, ...]
    parameters: tuple[str, ...]
    sizes: Sizes
    mask: str = "attend"
    sequence_first: bool = False
    by_keyword: bool = False

    def construct(self, name: str = "module", **changes: Any) -> Step:
        """Construct the class; ``changes`` replace single arguments."""
        given = {parameter: changes.get(parameter, self.sizes.argument(parameter)) for parameter in self.constructor}
        if "dropout" in given and not given["dropout"]:
            given.pop("dropout")  # the default is part of the interface
        if "eps" in given and "eps" not in changes:
            given.pop("eps")
        if self.by_keyword or "dropout" in given or "eps" in given:
            step = {"do": "construct", "target": self.target, "as": name, "seed": BUILD_SEED}
            return {**step, "kwargs": given, "fit": []}
        return {"do": "construct", "target": self.target, "args": list(given.values()), "as": name, "seed": BUILD_SEED}

    def call(
        self,
        inputs: Mapping[str, Any],
        *,
        on: str = "module",
        contiguous: bool = True,
        dtype: str = "float32",
        stored: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Step:
        """Call the module on ``inputs`` by canonical name; ``stored`` names inputs that were let before."""
        values: list[Any] = []
        for name in self.parameters:
            if name in (stored or {}):
                values.append({"$": "ref", "name": (stored or {})[name]})
            elif inputs.get(name) is None:
                values.append(None)
            else:
                values.append(self.node(inputs[name], contiguous=contiguous, dtype=dtype))
        while values and values[-1] is None:
            values.pop()
        step: Step = {"do": "call", "on": on, **options}
        if self.by_keyword:
            padded = dict.fromkeys(self.parameters) | dict(zip(self.parameters, values, strict=False))
            return step | {"kwargs": padded, "fit": [name for name, value in padded.items() if value is None]}
        return step | {"args": values}

    def node(self, value: Any, *, contiguous: bool = True, dtype: str = "float32") -> Any:
        """Return an argument as the child builds it; masks in the assignment's meaning, axes in its order."""
        if isinstance(value, Sublayer):
            return value.node()
        array = np.asarray(value)
        if array.dtype.kind == "b":
            array = {"attend": array, "block": ~array}.get(self.mask, array)
            if self.mask == "additive":
                array = np.where(array, 0.0, -1e9).astype(np.float32)
        elif array.dtype.kind == "f":
            array = array.astype(dtype)
        if self.sequence_first and np.asarray(value).dtype.kind != "b" and array.ndim > 1:
            array = np.swapaxes(array, 0, 1)
        return {"$": "tensor", "array": np.ascontiguousarray(array), "grad": False, "contiguous": contiguous}


def prepared(
    making: Making, values: Mapping[str, Any], *, lazy: Step | None = None, train: bool = False, **changes: Any
) -> Steps:
    """Construct, run once where parameters are lazy, fill in the weights, choose the mode."""
    steps = [making.construct(**changes), {"do": "mode", "on": "module", "train": False}]
    if lazy is not None:
        steps.append({**lazy, "quiet": True})
    steps.append({"do": "weights", "on": "module", "values": dict(values)})
    if train:
        steps.append({"do": "mode", "on": "module", "train": True})
    return tuple(steps)
