"""Generated: each block passes its own checks, and each known mistake of a language model fails one and is named."""

from __future__ import annotations

import itertools

import pytest

from grader import components
from grader.auditing.modules import mistakes, rehearse
from grader.component.checks import Misconception
from grader.model.assignment import Interface
from grader.model.outcome import Verdict, joined

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
    outcomes = rehearse(components.component(name, "class"))
    assert {outcome.check: outcome.message for outcome in outcomes if outcome.verdict is not Verdict.PASSED} == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_each_known_mistake_of_a_language_model_is_caught_and_named() -> None:
    """Those of the blocks that an assignment sets are rehearsed in tests/ledger."""
    block = components.component("language_model", "class")
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


CAUSAL_HEARTS = {
    "multi_head_attention": (("query",), "sdpa.triangle", ["attends_to_itself"]),
    "encoder_layer": (("x",), "sdpa.triangle", ["computes_the_layer"]),
    "encoder": (("x",), "sdpa.triangle", ["computes_the_stack"]),
    "decoder_layer": (("x", "memory"), "dec.forced_causal", ["computes_the_layer"]),
    "decoder": (("x", "memory"), "dec.forced_causal", ["computes_the_stack"]),
    "language_model": (("ids",), "trf.causal", ["sees_no_later_token"]),
    "transformer": (("src", "tgt"), "trf.causal", ["causal_without_a_mask"]),
}
"""What a call must pass, the setting that makes the causal mask, and the check that pays where it is amiss."""


QUICK = {"multi_head_attention", "decoder_layer"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CAUSAL_HEARTS]
)
def test_whichever_masks_are_passed_a_causal_mask_that_is_lacking_or_too_much_fails_the_heart(name: str) -> None:
    given, knob, heart = CAUSAL_HEARTS[name]
    block = components.component(name, "class")
    masks = [one for one in block.parameters if "mask" in one]
    amiss = {True: "none" if knob == "trf.causal" else None}
    if name.startswith(("encoder", "multi")):  # a decoder that hides the future by itself is right where none is said
        amiss[False] = "always"
    for number in range(len(masks) + 1):
        for passed in itertools.combinations(masks, number):
            for (causal, setting), required in itertools.product(amiss.items(), {False, bool(passed)}):
                if required and name == "transformer" and "tgt_mask" in passed:
                    continue  # what hides the future is passed in every call
                conventions = {"causal": causal, "mask_required": required}
                said = Interface(name, block.target, parameters=(*given, *passed), conventions=conventions)
                wrong = Misconception("amiss", "", {}, "", name, knobs={knob: setting})
                found = {"right": rehearse(block, None, said), "wrong": rehearse(block, wrong, said)}
                lost = {
                    which: [one.check.partition(".")[2] for one in outcomes if one.verdict is not Verdict.PASSED]
                    for which, outcomes in found.items()
                }
                assert lost == {"right": [], "wrong": heart}, (passed, conventions)
