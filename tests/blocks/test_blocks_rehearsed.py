"""Generated: each block passes its own checks, and each known mistake of a language model fails one and is named."""

from __future__ import annotations

import pytest

from grader import components
from grader.auditing.modules import mistakes, rehearse
from grader.model import Verdict, joined

BLOCKS = (
    "multi_head_attention",
    "feed_forward",
    "layer_norm",
    "add_norm",
    "learned_positional_encoding",
    "token_embedding",
    "encoder_layer",
    "decoder_layer",
    "encoder",
    "decoder",
    "transformer",
    "language_model",
)


@pytest.mark.parametrize("name", BLOCKS)
def test_the_block_itself_passes_every_check(name: str) -> None:
    outcomes = rehearse(components.get(name, "class"))
    assert {outcome.check: outcome.message for outcome in outcomes if outcome.verdict is not Verdict.PASSED} == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_each_known_mistake_of_a_language_model_is_caught_and_named() -> None:
    """Those of the blocks that an assignment sets are rehearsed in tests/ledger."""
    block = components.get("language_model", "class")
    unnamed = []
    for fault in mistakes(block):
        if fault.component != block.name:
            continue
        lost = [outcome for outcome in rehearse(block, fault) if outcome.verdict is not Verdict.PASSED]
        said = {
            name
            for outcome in lost
            if outcome.diagnosis
            for name in (outcome.diagnosis.id, *map(joined, outcome.diagnosis.family))
        }
        if not lost or fault.id not in said:
            unnamed.append((fault.id, dict(fault.knobs), said))
    assert unnamed == []
