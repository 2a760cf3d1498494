"""Learned positional encoding (table 3, row E) as a torch module: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import double_precision, inputs_alone, repeatable, strided
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.faults import Fault, family
from grader.blocks.known_heads import HEAD_SIGNS
from grader.blocks.parts import Knobs
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.blocks.subject import Case
from grader.blocks.weights import Array, Roles


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
        Case("short", {"x": rng.normal(size=(sizes.batch, sizes.n, sizes.d_model))}, "a batch shorter than max_len"),
        Case("other", {"x": rng.normal(size=(3, sizes.m, sizes.d_model))}, "another length"),
        Case(
            "full",
            {"x": rng.normal(size=(sizes.batch, sizes.max_len, sizes.d_model))},
            "a sequence of max_len",
            plain=False,
        ),
    )


_lpe = family("learned_positional_encoding", "section 3.5 and table 3, row E")
_ROW = (
    "Which row belongs to the token at position i?",
    "Print the rows that you add for a sequence of three tokens.",
    "Position i gets row i of the table, the same for every sample of the batch.",
)
_SUM = (
    "What reaches the next layer: the rows, or the vectors with their rows?",
    "Look at what forward returns.",
    "The encoding is added to the vectors: x + table[:n].",
)
FAULTS: tuple[Fault, ...] = (
    _lpe("lpe-single-row", "All positions get one row: that of the last position.", *_ROW, lpe__rows="last"),
    _lpe("lpe-single-row", "All positions get row 0.", *_ROW, lpe__rows="first"),
    _lpe("lpe-single-row", "All positions get the row that the length points at.", *_ROW, lpe__rows="length"),
    _lpe("lpe-starts-at-one", "Position 0 gets row 1, and so on.", *_ROW, lpe__rows="from_one"),
    _lpe("lpe-reversed", "The rows are added in reverse order.", *_ROW, lpe__rows="reversed"),
    _lpe(
        "lpe-from-the-end", "The last rows of the table are used instead of the first.", *_ROW, lpe__rows="from_the_end"
    ),
    _lpe("lpe-rows-by-sample", "Each sample gets a row instead of each position.", *_ROW, lpe__rows="batch"),
    _lpe("lpe-not-added", "The rows are returned without the input.", *_SUM, lpe__how="returned"),
    _lpe("lpe-multiplied", "The rows are multiplied with the input instead of added.", *_SUM, lpe__how="multiplied"),
    _lpe("lpe-scales-input", "The input is multiplied by sqrt(d_model) here.", *_SUM, lpe__how="scaled_x"),
    _lpe("lpe-scales-rows", "The rows are multiplied by sqrt(d_model).", *_SUM, lpe__how="scaled_rows"),
    _lpe("lpe-subtracted", "The rows are subtracted.", *_SUM, lpe__how="subtracted"),
    _lpe("lpe-added-twice", "The rows are added twice.", *_SUM, lpe__how="twice"),
)
FIXED = _lpe(
    "lpe-fixed-table",
    "The table is fixed: nothing in it is learned.",
    "Which of your numbers change when the optimiser makes a step?",
    "Look for register_buffer, or for a plain tensor, where a nn.Parameter or a nn.Embedding should be.",
    "Here every position has a row that is learned like any other weight. A table of sines is the other encoding of "
    "the paper, which has no parameters.",
)

component = Block(
    "learned_positional_encoding",
    "Learned positional encoding",
    "section 3.5 and table 3, row E",
    "LearnedPositionalEncoding",
    compute,
    lambda sizes: {"table.positions": (sizes.max_len, sizes.d_model)},
    cases,
    bundle(
        equality("adds_its_rows", "Row i of a learned table is added at position i", ["short", "other"]),
        equality("works_up_to_max_len", "A sequence of max_len positions works", ["full"]),
        gradient(),
        registered(),
        double_precision(),
        strided(),
        inputs_alone(),
        repeatable(),
    ),
    FAULTS,
    (FIXED, *HEAD_SIGNS),
)
