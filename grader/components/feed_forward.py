"""The position-wise feed-forward network (section 3.3) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import both
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import feed_forward_shapes, norm_shapes
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.sublayers import Knobs
from grader.paper.sublayers import feed_forward as network
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """Equation 2 with knobs."""
    return network(inputs["x"], weights, knobs)


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """A batch of sequences, then one with larger values."""
    sizes = making.sizes
    x = rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))
    return (
        Case({"x": x}, "a batch of sequences", key="rows"),
        Case({"x": 8 * rng.normal(size=(1, sizes.m, sizes.d_model))}, "larger values, one sample", key="large"),
    )


component = Block(
    "feed_forward",
    "Position-wise feed-forward network",
    "section 3.3, equation 2",
    "PositionwiseFeedForward",
    ("d_model", "d_ff", "dropout"),
    ("x",),
    compute,
    lambda sizes: feed_forward_shapes(sizes) | norm_shapes(sizes, "norm."),
    cases,
    bundle(
        equality("computes_equation_2", "max(0, x W_1 + b_1) W_2 + b_2, each position on its own", ["rows", "large"]),
        both("Dropout acts in training, with survivors scaled up", small=1.0),
        gradient(),
        registered(),
        manners(),
    ),
    faults.known("feed_forward"),
    (*faults.OF_WEIGHTS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    settled=settled.FEED_FORWARD,
)
