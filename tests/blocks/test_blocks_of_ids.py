"""Stacks that embed ids, and decoder-only models: a slip at the entrance is caught, named and paid for once."""

from __future__ import annotations

import numpy as np
import pytest

from grader import components, mistakes
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
    wanted = TWINS.get(fault.id, fault.id)
    told = [
        {*one.diagnosis.ids, *(twin for named in one.diagnosis.ids for twin in mistakes.same_as(named))}
        for one in lost
        if one.diagnosis
    ]
    assert [wanted in names for names in told] == [True]
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


GIVEN = {"encoder": ("ids",), "decoder": ("ids", "memory", "src"), "language_model": ("ids",)}


def hides(name: str, pad: int | None, **said: object) -> tuple[Block, Interface]:
    block = components.component(name, "class")
    assert isinstance(block, Block)
    own = {} if pad is None else {"pad_id": pad}
    causal = {"causal": True} if name == "decoder" else {}
    return block, Interface(name, block.target, parameters=GIVEN[name], conventions={**own, **causal, **said})


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("pad", [None, 0, 1, 3])
def test_padding_stands_where_it_is_said_to_be_hidden_and_nowhere_else(name: str, pad: int | None) -> None:
    block, said = hides(name, pad)
    making = block.making(said, block.target)
    padding = {0, 1, 2, 3} if pad is None else {pad}
    for seed in range(30):
        for case in block.cases_for(np.random.default_rng(seed), making):
            asked = [case.inputs, *(changed[0] for changed in (case.blocked, case.kept) if changed)]
            ids = np.concatenate([one[of].ravel() for one in asked for of in ("ids", "src") if of in one])
            assert bool(padding & {*ids}) == case.key.endswith(":padding")
            assert name == "encoder" or not np.isin(case.inputs["ids"][:, 0], [*padding]).any()
    assert pad is None or any(
        case.key.endswith(":padding") for case in block.cases_for(np.random.default_rng(0), making)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("pad", [0, 1, 3])
def test_a_stack_that_hides_its_padding_is_right_and_one_that_does_not_is_told(name: str, pad: int) -> None:
    block, said = hides(name, pad)
    for seed in range(3):
        assert all(one.verdict is Verdict.PASSED for one in rehearse(block, None, said, seed))
    fault = next(one for one in block.under(said).faults if one.id == "course-pad-id-none")
    lost = [one for one in rehearse(block, fault, said) if one.verdict is not Verdict.PASSED]
    assert {one.diagnosis.id for one in lost if one.diagnosis} == {fault.id}
    assert lost


@pytest.mark.slow
def test_a_decoder_may_hide_the_padding_of_its_source_alone() -> None:
    block, said = hides("decoder", 1, pad_hidden="source")
    assert all(one.verdict is Verdict.PASSED for one in rehearse(block, None, said))
    fault = next(one for one in block.under(said).faults if one.id == "course-pad-hidden-both")
    assert [one.check for one in rehearse(block, fault, said) if one.verdict is not Verdict.PASSED] == [
        "decoder.target_mask_in_self_attention"
    ]
