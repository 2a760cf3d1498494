"""Known mistakes of a stack that embeds ids itself: those of the whole model's embeddings and positions."""

from __future__ import annotations

from grader.blocks import faults
from grader.blocks.checks_model import about_positions, about_scale
from grader.component import Misconception

_OF_MODELS = faults.chained(
    faults.known("transformer"),
    faults.known("encoder", "token_embedding", of="transformer"),
    faults.known("positional_encoding", part="pe."),
)


def _at_the_entrance(fault: Misconception) -> bool:
    """Whether a mistake lies in the embedding or the positions, on both sides alike."""
    about = (about_positions(knob, setting) or about_scale(knob, setting) for knob, setting in fault.knobs.items())
    return all(about) and not any(knob.endswith(("_src", "_tgt")) for knob in fault.knobs)


def _at_the_end(fault: Misconception) -> bool:
    """Whether a mistake lies in what is returned, or in the causal mask that a model makes itself."""
    return all(knob in {"trf.output", "trf.causal"} and setting != "by_source" for knob, setting in fault.knobs.items())


EMBEDDED = faults.among(_OF_MODELS, _at_the_entrance)
RETURNED = faults.among(_OF_MODELS, _at_the_end)
"""Mistakes of a model of one stack: what it returns, and what each position sees."""
