"""Learned positional encoding (table 3, row E) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

from grader.blocks import faults
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.sizes import Sizes
from grader.components.positional_module import cases
from grader.paper.positions import with_rows
from grader.paper.sublayers import Knobs, of
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """X plus a row for each position, with knobs."""
    return with_rows(inputs["x"], weights.must("table.positions"), **of("lpe", knobs))


component = Block(
    "learned_positional_encoding",
    "Learned positional encoding",
    "section 3.5 and table 3, row E",
    "LearnedPositionalEncoding",
    ("max_len", "d_model"),
    ("x",),
    compute,
    lambda sizes: {"table.positions": (sizes.max_len, sizes.d_model)},
    cases,
    bundle(
        equality("adds_its_rows", "Row i of a learned table is added at position i", ["short", "other", "single"]),
        equality("works_up_to_max_len", "A sequence of max_len positions works", ["full"]),
        gradient(),
        registered(),
        manners(),
    ),
    faults.known("learned_positional_encoding"),
    ("lpe-fixed-table", *faults.EVERYWHERE),
)
