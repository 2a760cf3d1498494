"""Layer normalisation (section 3.1; Ba et al. 2016) as a torch module: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import norm_shapes
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check
from grader.judging.outcomes import PASSED
from grader.model.outcome import By, Outcome
from grader.paper.sublayers import Knobs
from grader.paper.sublayers import layer_norm as norm
from grader.paper.weights import Array, Roles

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """The norm with knobs; where an eps is given, no default counts."""
    if "eps" in inputs:
        knobs = {name: setting for name, setting in knobs.items() if name != "ln.eps_default"}
    return norm(inputs["x"], weights, knobs, inputs.get("eps", 1e-5))


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Rows of different size, one sequence, rows that hardly differ, another eps.

    The rows that hardly differ lie near 0: far from it, mean(x^2) - mean(x)^2 loses in float32 what is to be seen.
    """
    sizes = making.sizes
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    far = rng.normal(size=(2, sizes.batch, sizes.n, 1))
    uneven = x * np.exp(np.abs(far[0])) + far[1]  # not so small that the eps of a class that takes none would show
    return (
        Case({"x": uneven}, "positions of different size and mean", key="rows"),
        Case({"x": 2 * rng.normal(size=(1, sizes.m, sizes.d_model)) + 1}, "a batch of one sequence", key="sequence"),
        Case(
            {"x": 0.01 + 3e-3 * x, "eps": 1e-5},
            "entries that hardly differ, where eps counts",
            key="tiny",
            plain=False,
            changes={"eps": 1e-5},
        ),
        Case(
            {"x": np.full((1, sizes.n, sizes.d_model), 2.0)},
            "a constant row, whose variance is 0",
            key="constant",
            plain=False,
        ),
        Case(
            {"x": x, "eps": 0.25}, "eps = 0.25 given to the constructor", key="eps", plain=False, changes={"eps": 0.25}
        ),
    )


FAINT = 1e-3
"""An eps up to here shows only where entries hardly differ, and is right where the hand-out lets none be given."""


def _about_eps(knob: str, setting: Any) -> bool:
    return knob == "ln.eps_at" or (knob == "ln.eps_value" and setting <= FAINT)


def _has_gain_and_shift() -> Check:
    def judge(subject: Subject) -> Outcome:
        if subject.scout.status != "value":
            return subject.failure(subject.scout)  # nothing says what is used by a module that does not run
        norms = [operation for operation in subject.material.operations if operation.kind == "N"]
        settled = subject.block.right.get("ln.affine", "")
        least = 1 if settled == "first gain" else subject.sizes.d_model
        gain = any(one.gain and one.gain.size >= least for one in norms)
        shift = any(one.shift and one.shift.size >= least for one in norms)
        asked = {"none": "", "no shift": "gain"}.get(settled, "gain shift")
        gain, shift = gain or "gain" not in asked, shift or "shift" not in asked
        if gain and shift:
            return PASSED
        small = {"gain": any(one.gain for one in norms), "shift": any(one.shift for one in norms)}
        held = [list(tensor.full_shape) for tensor in subject.tensors.values()]
        missing = tuple(name for name, there in (("gain", gain), ("shift", shift)) if not there)
        told = "ln-missing-affine" if len(missing) > 1 else f"ln-missing-{missing[0]}"
        if all(small[name] for name in missing):
            told = "ln-one-gain-for-all"
        lacking = f"no learned {' and '.join(missing)} for each feature"
        found = subject.failed(f"{lacking}: the module's parameters in use have the shapes {held}", told)
        fault = subject.fault
        if fault is not None and fault.id.startswith("course-") and "ln.affine" in fault.knobs:  # one name for one slip
            return replace(found, diagnosis=fault.diagnosis(By.ANSWERS))
        return found

    return Check("learns_gain_and_shift", "Has a learned gain and shift for each feature", lambda _: {}, judge)


component = Block(
    "layer_norm",
    "Layer normalisation",
    "section 3.1 and Ba et al. 2016",
    "LayerNorm",
    ("d_model", "eps"),
    ("x",),
    compute,
    norm_shapes,
    cases,
    bundle(
        equality(
            "normalises_each_position",
            "Mean 0 and variance 1 over the features of each position, then gain and shift",
            ["rows", "sequence"],
            owns=lambda knob, setting: not _about_eps(knob, setting),
        ),
        equality(
            "eps_under_the_root", "eps is added to the variance, under the root", ["tiny", "constant"], owns=_about_eps
        ),
        equality("uses_its_eps", "The eps given to the constructor is the one that is used", ["eps"], owns=_about_eps),
        _has_gain_and_shift(),
        gradient(),
        registered(),
        manners(),
    ),
    faults.known("layer_norm"),
    ("ln-one-gain-for-all", *faults.EVERYWHERE),
    settled=settled.NORM,
)
