"""Stacks that embed ids, and decoder-only models: a slip at the entrance is caught, named and paid for once."""

from __future__ import annotations

import numpy as np
import pytest

from grader import components
from grader.auditing.modules import rehearse
from grader.blocks.around_stacks import EMBEDDED, RETURNED
from grader.blocks.examine import Block
from grader.component.checks import Misconception
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

TWINS = {"pe-exponent-halved": "pe-wrong-base", "pe-precedence": "trf-pe-single-row"}
"""What a short sequence does not tell apart."""
UNSEEN = {"trf-causal-mask-strict", "pe-last-row-blank"}
"""A first row that sees nothing has no name; the last row of a table is not reached by a stack without max_len."""
FIRST = {fault.id: fault for fault in reversed((*EMBEDDED, *RETURNED)) if fault.id not in UNSEEN}
QUICK = {"trf-no-positional-encoding", "trf-embed-scale-missing", "trf-not-causal", "trf-returns-probabilities"}


def given_ids(name: str) -> tuple[Block, Interface]:
    block = components.component(name, "class")
    assert isinstance(block, Block)
    way = next(way for way in block.ways if "ids" in way)
    return block, Interface(name, block.target, parameters=way)


def cases() -> list[object]:
    returned = {fault.id for fault in RETURNED}
    return [
        pytest.param(name, fault, id=f"{name}-{fault.id}", marks=[] if fault.id in QUICK else [pytest.mark.slow])
        for name in ("encoder", "decoder", "language_model")
        for fault in FIRST.values()
        if name == "language_model" or fault.id not in returned
    ]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fault"), cases())
def test_a_slip_is_caught_named_and_paid_for_once(name: str, fault: Misconception) -> None:
    block, said = given_ids(name)
    lost = [one for one in rehearse(block, fault, said) if one.verdict is not Verdict.PASSED]
    assert [TWINS.get(fault.id, fault.id) in one.diagnosis.ids for one in lost if one.diagnosis] == [True]
    assert len(lost) == 1


@pytest.mark.parametrize("name", ["encoder", "decoder", "language_model"])
def test_what_is_right_keeps_every_point(name: str) -> None:
    block, said = given_ids(name)
    assert [one.check for one in rehearse(block, None, said) if one.verdict is not Verdict.PASSED] == []


@pytest.mark.parametrize("pad", [0, 2])
def test_no_target_begins_with_padding_whose_row_would_see_nothing(pad: int) -> None:
    block = components.component("transformer", "class")
    assert isinstance(block, Block)
    making = block.making(Interface("transformer", "Model", conventions={"form": "class", "pad_id": pad}), "Model")
    for seed in range(60):
        for case in block.cases(np.random.default_rng(seed), making):
            asked = [case.inputs, *(changed[0] for changed in (case.blocked, case.kept) if changed)]
            assert all((one["tgt"][:, 0] != pad).all() for one in asked)
