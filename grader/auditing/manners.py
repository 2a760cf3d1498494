"""Mistakes of a module that no computation of the paper shows, as the rehearsal plays them.

They change how a module answers, not what it computes: a gradient that is cut, weights that torch does not see, a view
of memory in another order. A knob ``manner`` tells the rehearsal which one to play.
"""

from collections.abc import Collection
from dataclasses import replace

from grader.blocks import faults
from grader.blocks.examine import Block
from grader.component.checks import Misconception

PLAYED: dict[str, tuple[str, ...]] = {
    "cuts the gradient": ("gradient-cut",),
    "hides its weights": ("trf-layers-in-plain-list", "weights-not-registered"),
    "shares its layers": ("trf-layers-share-weights",),
    "views its input": ("mha-view-on-noncontiguous",),
    "writes into its argument": ("encoder-inplace-residual", "sdpa-scales-query-in-place"),
    "keeps a constant in single precision": (),
    "drops in evaluation": ("dropout-active-in-eval",),
    "never drops": ("dropout-never-applied",),
    "forgets to scale survivors": ("dropout-no-rescaling",),
    "is random": ("dropout-active-in-eval",),
    "trains its table": ("pe-table-is-trained", "trf-pe-is-trained"),
}
"""What is played, and the names under which a block may know it."""

_NEEDS = {
    "views its input": "takes_any_memory_order",
    "writes into its argument": "leaves_inputs_alone",
    "shares its layers": "own_parameters",
    "drops in evaluation": "dropout_off_in_evaluation",
    "never drops": "dropout_in_training",
    "forgets to scale survivors": "dropout_in_training",
    "keeps a constant in single precision": "works_in_float64",
    "cuts the gradient": "gradient_reaches_parameters",
    "hides its weights": "parameters_are_registered",
    "is random": "repeats_itself",
    "trains its table": "table_is_fixed",
}
_STACKS = frozenset({"encoder", "decoder", "transformer"})


def bad_manners(block: Block, asked: Collection[str]) -> tuple[tuple[str, Misconception], ...]:
    """What can be played of a block that has the check for it: (id where the block names it, the fault).

    ``asked`` are the checks that an assignment has something to ask for.
    """
    found: list[tuple[str, Misconception]] = []
    for manner, names in PLAYED.items():
        if _NEEDS[manner] not in asked:
            continue
        if manner == "trains its table" and not block.fixed_positions:
            continue  # its table may be learned
        if block.name == "add_norm" and manner == "forgets to scale survivors":
            continue  # its sublayer is an argument, which the rehearsal does not change
        # Layers are shared in stacks, which may leave dropout to them.
        if manner == ("never drops" if block.name in _STACKS else "shares its layers"):
            continue
        ours = [name for name in names if name != "sdpa-scales-query-in-place" or block.name == "multi_head_attention"]
        known = next((name for name in ours if name in block.signs), "")
        base = faults.sign(known) if known else Misconception(manner, manner, {}, block.reread, block.name)
        found.append((known, replace(base, knobs={"manner": manner})))
    return tuple(found)
