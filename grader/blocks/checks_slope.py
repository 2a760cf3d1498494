"""Whether the gradient by the inputs is that of the answer: what is cut out of the graph keeps its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from grader.blocks.programs import Step, Steps
from grader.model.outcome import Outcome
from grader.paper.weights import Array

if TYPE_CHECKING:
    from grader.blocks.subject import Subject

STEP = 1e-4
SEEDS = (5, 6)
APART = 0.1
"""More than rounding and the kinks of a ReLU make of the difference, relative to what the answer moves by."""


def asked(subject: Subject) -> Mapping[str, Steps]:
    """Differentiate the first case by its inputs, and move each of them a little to both sides, in double precision."""
    inputs, making = subject.cases[0].inputs, subject.making
    moved = _directions(subject)
    if not moved or making.sequence_first:
        return {}
    lets: list[Step] = [
        {"do": "let", "as": f"in_{name}", "value": {**making.node(inputs[name], dtype="float64"), "grad": True}}
        for name in moved
    ]
    call = making.call(inputs, dtype="float64", stored={name: f"in_{name}" for name in moved})
    names = [f"in_{name}" for name in moved]
    gradients: list[Step] = [
        {"do": "gradient", "of": "out", "on": None, "inputs": names, "seed_array": _seed(subject, seed)}
        for seed in SEEDS
    ]
    aside = [
        making.call({**inputs, name: inputs[name] + sign * STEP * moved[name]}, dtype="float64")
        for name in moved
        for sign in (1, -1)
    ]
    start: Step = {"do": "move", "on": "module", "dtype": "float64"}
    first: Step = {**call, "as": "out", "grad": True, "quiet": True}
    return {"slope": (*subject.prepared(), start, *lets, first, *gradients, *aside)}


def _directions(subject: Subject) -> dict[str, Array]:
    """Where each input is moved to: along itself, which changes its size, and at random."""
    inputs, rng = subject.cases[0].inputs, np.random.default_rng(4)
    given = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray) and value.dtype.kind == "f"}
    return {
        name: value + rng.normal(size=value.shape) for name, value in given.items() if name in subject.making.parameters
    }


def _seed(subject: Subject, seed: int) -> Array:
    return np.random.default_rng(seed).normal(size=subject.shape(subject.cases[0]))


def another(subject: Subject) -> Outcome | None:
    """The finding where a gradient is not that of the answer; None where it is, or where that cannot be asked."""
    reply = subject.replies.get("slope")
    rounded = subject.fault is not None and "sdpa.half" in subject.fault.knobs  # such an answer moves in steps
    if reply is None or reply.status != "value" or not subject.steady or rounded:
        return None
    moved, shape = _directions(subject), subject.shape(subject.cases[0])
    values = reply.values[-len(SEEDS) - 2 * len(moved) :]
    for at, (name, direction) in enumerate(moved.items()):
        up, down = (_array(subject, values[len(SEEDS) + 2 * at + side], shape) for side in (0, 1))
        if up is None or down is None or not np.isfinite(up - down).all():
            return None
        step = (up - down) / (2 * STEP)
        for seed, found in zip(SEEDS, values, strict=False):
            weights = _seed(subject, seed)
            if f"in_{name}" not in found["inputs"]:
                return None
            gradient = found["inputs"][f"in_{name}"]
            told = 0.0 if gradient is None else float((gradient * direction).sum())
            scale = max(float(np.sqrt(((weights * step) ** 2).sum())), 1e-3)
            if not abs(told - float((weights * step).sum())) <= APART * scale:
                text = "nothing" if gradient is None else "another function"
                return subject.failed(
                    f"the gradient for `{name}` is that of {text}: the answer moves otherwise than it says",
                    "gradient-of-another-function",
                )
    return None


def _array(subject: Subject, value: object, shape: tuple[int, ...]) -> Array | None:
    array = getattr(subject.read(value, shape), "array", None)
    # A coarser answer moves by its rounding.
    fine = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
    return array if fine else None
