"""Sinusoidal positions (section 3.5) as a module that adds its table to the vectors: checks and misconceptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks import faults, settled
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import off_in_evaluation
from grader.blocks.examine import Block
from grader.blocks.programs import Making, of_torch
from grader.blocks.sizes import Sizes
from grader.component.calls import Case
from grader.component.checks import Check
from grader.component.convention import Settled
from grader.judging.outcomes import PASSED
from grader.model.outcome import Outcome
from grader.paper.positions import with_rows
from grader.paper.stacks import positions
from grader.paper.sublayers import Knobs, of
from grader.paper.weights import Array, Roles

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:  # noqa: ARG001 - one signature for all
    """X plus the row of each position, with knobs."""
    batch, n, d = inputs["x"].shape
    return with_rows(inputs["x"], positions(max(n, batch, sizes.max_len), d, knobs), **of("lpe", knobs))


def cases(rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
    """Short sequences, the longest one, and a single one, which tells whose number of rows is taken."""
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
        Case({"x": rng.normal(size=(1, sizes.n, sizes.d_model))}, "a single sample", key="single"),
    )


GIVEN = Settled(
    "positions",
    words="modules.positions",
)
SCALED = Settled("scales_input")


def _fixed() -> Check:
    def judge(subject: Subject) -> Outcome:
        used = {name for name, _ in subject.uses}
        rows = [row["name"] for row in subject.inventory["parameters"] if row["requires_grad"] and row["name"] in used]
        if not rows:
            return PASSED
        return subject.failed(
            f"`{rows[0]}` is a parameter that requires a gradient, so that training changes the table",
            "pe-table-is-trained",
        )

    return Check(
        "table_is_fixed", "The table of sines is not trained", lambda _: {}, judge, needs=of_torch, manner=True
    )


component = Block(
    "positional_encoding",
    "Positional encoding as a module",
    "section 3.5",
    "PositionalEncoding",
    ("d_model", "max_len"),
    ("x",),
    compute,
    lambda _: {},
    cases,
    bundle(
        equality("adds_its_rows", "Row i of the table is added at position i", ["short", "other", "single"]),
        equality("works_up_to_max_len", "A sequence of max_len positions works", ["full"]),
        _fixed(),
        off_in_evaluation(),
        manners(),
    ),
    faults.chained(faults.known("positional_encoding", part="lpe."), faults.known("positional_encoding", part="pe.")),
    ("pe-table-is-trained", *faults.OF_DROPOUT, *faults.EVERYWHERE),
    fixed_positions=True,
    settled=(*settled.POSITIONS, GIVEN, SCALED),
)
