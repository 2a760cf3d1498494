"""Mistakes of a module that no computation of the paper shows, as the rehearsal plays them.

They change how a module answers, not what it computes: a gradient that is cut, weights that torch does not see, a view
of memory in another order. A knob ``manner`` tells the rehearsal which one to play.
"""

from collections.abc import Collection
from dataclasses import replace

from grader.blocks import faults
from grader.blocks.examine import Block
from grader.component.checks import Misconception

PLAYED: dict[str, tuple[str, tuple[str, ...]]] = {
    "cuts the gradient": ("gradient_reaches_parameters", ("gradient-cut",)),
    "hides its weights": ("parameters_are_registered", ("trf-layers-in-plain-list", "weights-not-registered")),
    "shares its layers": ("own_parameters", ("trf-layers-share-weights",)),
    "views its input": ("takes_any_memory_order", ("mha-view-on-noncontiguous",)),
    "writes into its argument": ("leaves_inputs_alone", ("encoder-inplace-residual", "sdpa-scales-query-in-place")),
    "keeps a constant in single precision": ("works_in_float64", ()),
    "drops in evaluation": ("dropout_off_in_evaluation", ("dropout-active-in-eval",)),
    "never drops": ("dropout_in_training", ("dropout-never-applied",)),
    "forgets to scale survivors": ("dropout_in_training", ("dropout-no-rescaling",)),
    "is random": ("repeats_itself", ("dropout-active-in-eval",)),
    "trains its table": ("table_is_fixed", ("pe-table-is-trained", "trf-pe-is-trained")),
}
"""What is played, the check that it needs, and the names under which a block may know it."""
_STACKS = frozenset({"encoder", "decoder", "transformer"})


def bad_manners(block: Block, asked: Collection[str]) -> tuple[tuple[str, Misconception], ...]:
    """What can be played of a block that has the check for it: (id where the block names it, the fault).

    ``asked`` are the checks that an assignment has something to ask for.
    """
    found: list[tuple[str, Misconception]] = []
    for manner, (check, names) in PLAYED.items():
        if check not in asked:
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
