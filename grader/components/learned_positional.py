"""Learned positional encoding (table 3, row E) as a torch module: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks import faults
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.sizes import Sizes
from grader.components.positional_module import cases
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """X plus a row for each position, with knobs."""
    x, table = inputs["x"], weights.must("table.positions")
    batch, n, d = x.shape
    rows = {
        "positions": table[:n],
        "last": table[n - 1],
        "first": table[0],
        "length": table[min(n, len(table) - 1)],
        "reversed": table[:n][::-1],
        "from_one": table[1 : n + 1],
        "batch": table[:batch][:, None],
        "from_the_end": table[-n:],
    }[knobs.get("lpe.rows", "positions")]
    how = knobs.get("lpe.how", "added")
    if how == "returned":
        return np.asarray(np.broadcast_to(rows, (n, d)) if knobs.get("lpe.bare") else np.broadcast_to(rows, x.shape))
    found = {
        "added": lambda: x + rows,
        "multiplied": lambda: x * rows,
        "scaled_x": lambda: x * np.sqrt(d) + rows,
        "scaled_rows": lambda: x + rows * np.sqrt(d),
        "subtracted": lambda: x - rows,
        "twice": lambda: x + 2 * rows,
    }[how]()
    return np.asarray(found)


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
        equality("adds_its_rows", "Row i of a learned table is added at position i", ["short", "other"]),
        equality("works_up_to_max_len", "A sequence of max_len positions works", ["full"]),
        gradient(),
        registered(),
        manners(),
    ),
    faults.known("learned_positional_encoding"),
    ("lpe-fixed-table", *faults.EVERYWHERE),
)
