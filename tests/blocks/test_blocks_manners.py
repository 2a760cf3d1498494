"""What a module does wrong beside its computation is caught by the check for it, and named where it has a name."""

from __future__ import annotations

import pytest

from grader import components
from grader.auditing.manners import PLAYED, bad_manners
from grader.auditing.modules import rehearse
from grader.model.assignment import Interface
from grader.model.outcome import Verdict

QUICK = ("multi_head_attention", "feed_forward", "layer_norm", "add_norm", "token_embedding", "encoder_layer")
LONG = ("learned_positional_encoding", "decoder_layer", "encoder", "decoder", "transformer")


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)])
def test_bad_manners_are_caught_and_named(name: str) -> None:
    block = components.block(name)
    played = bad_manners(block, block.asked(Interface(block.name, block.target)))
    assert len(played) >= 4
    for known, fault in played:
        lost = [outcome for outcome in rehearse(block, fault) if outcome.verdict is not Verdict.PASSED]
        said = {outcome.diagnosis.id for outcome in lost if outcome.diagnosis}
        assert lost, fault.knobs
        assert said == ({known} if known else set()), fault.knobs


def test_every_manner_is_played_by_some_block() -> None:
    blocks = [components.block(name) for name in (*QUICK, *LONG)]
    played = [bad_manners(block, block.asked(Interface(block.name, block.target))) for block in blocks]
    seen = {fault.knobs["manner"] for faults in played for _, fault in faults}
    assert seen == set(PLAYED)
