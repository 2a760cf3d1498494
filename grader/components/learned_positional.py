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
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component import Case
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


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Short sequences, and the longest one."""
    sizes = making.sizes
    return (
        Case(
            {"x": rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))}, "a batch shorter than max_len", key="short"
        ),
        Case({"x": rng.normal(size=(3, sizes.m, sizes.d_model))}, "another length", key="other"),
        Case(
            {"x": rng.normal(size=(sizes.batch, sizes.max_len, sizes.d_model))},
            "a sequence of max_len",
            key="full",
            plain=False,
        ),
    )


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
