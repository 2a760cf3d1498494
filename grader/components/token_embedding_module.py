"""Token embedding (section 3.4) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.around_stacks import POSITIONS
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_parameters import gradient, registered
from grader.blocks.examine import Block
from grader.blocks.programs import Making
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.paper.stacks import embed_with_positions
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """Rows of the table, scaled, and where a course says so with those of their positions; with knobs."""
    knobs = {"trf.pe": "none", "trf.rows": sizes.max_len, **knobs}
    return embed_with_positions(inputs["ids"], weights.must("tgt_table"), knobs, "tgt")


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Batches of ids, and one that holds every id, in sequences no longer than those that a class is made for."""
    sizes = making.sizes
    every = rng.permutation(sizes.vocab)[None]
    if making.takes("max_len"):
        every = np.resize(every, (-(-sizes.vocab // sizes.max_len), sizes.max_len))
    return (
        Case({"ids": rng.integers(0, sizes.vocab, size=(sizes.batch, sizes.n))}, "a batch of ids", key="batch"),
        Case({"ids": rng.integers(0, sizes.vocab, size=(3, sizes.m))}, "another length", key="other"),
        Case({"ids": every}, "each id", key="every_id", plain=False),
    )


component = Block(
    "token_embedding",
    "Token embedding",
    "section 3.4",
    "TokenEmbedding",
    ("vocab", "d_model"),
    ("ids",),
    compute,
    lambda sizes: {"tgt_table": (sizes.vocab, sizes.d_model)},
    cases,
    bundle(
        equality("scales_rows", "The row of each id, times sqrt(d_model)", ["batch", "other"]),
        equality(
            "knows_every_id",
            "Every id has its row, id 0 and the last one too",
            ["every_id"],
            owns=lambda knob, setting: False,  # noqa: ARG005 - the factor is looked at above
        ),
        gradient(),
        registered(),
        manners(any_memory=False),
    ),
    faults.chained(faults.known("token_embedding"), POSITIONS),
    faults.EVERYWHERE,
    fixed_positions=True,
    settled=(*settled.EMBEDDING, settled.ADDED_POSITIONS),
)
