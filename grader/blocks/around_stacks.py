"""Known mistakes of a model outside its stacks, and those of them that a stack can make which embeds ids itself."""

from grader.blocks import faults
from grader.blocks.checks_model import about_positions, about_scale
from grader.component.checks import Misconception

AROUND_STACKS = faults.chained(
    faults.known("transformer"),
    faults.known("encoder", "token_embedding", of="transformer"),
    faults.known("positional_encoding", part="pe."),
)
"""Mistakes of the whole model outside its stacks: embeddings, positions, masks that it makes, output."""


def _at_the_entrance(fault: Misconception) -> bool:
    """Whether a mistake lies in the embedding or the positions, on both sides alike."""
    about = (about_positions(knob, setting) or about_scale(knob, setting) for knob, setting in fault.knobs.items())
    return all(about) and not any(knob.endswith(("_src", "_tgt")) for knob in fault.knobs)


def _at_the_end(fault: Misconception) -> bool:
    """Whether a mistake lies in what is returned, or in the causal mask that a model makes itself."""
    return all(knob in {"trf.output", "trf.causal"} and setting != "by_source" for knob, setting in fault.knobs.items())


EMBEDDED = faults.among(AROUND_STACKS, _at_the_entrance)
POSITIONS = faults.among(EMBEDDED, lambda fault: any(knob.startswith(("pe.", "trf.pe")) for knob in fault.knobs))
"""Mistakes of the positions that an embedding adds."""
RETURNED = faults.among(AROUND_STACKS, _at_the_end)
"""Mistakes of a model of one stack: what it returns, and what each position sees."""
