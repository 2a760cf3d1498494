"""The decoder (section 3.1, figure 1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

from grader.blocks import faults, settled
from grader.blocks.around_stacks import EMBEDDED
from grader.blocks.cases_ids import of_ids
from grader.blocks.cases_layers import decoder_cases
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import on_sublayers
from grader.blocks.checks_model import table_is_as_declared
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.depth import of_its_depth
from grader.blocks.examine import Block
from grader.blocks.inputs import embedding_shapes, stack_shapes
from grader.blocks.sizes import Sizes
from grader.paper.stacks import decoder as layers
from grader.paper.stacks import entered, hiding_padding, left
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The stack with knobs."""
    knobs = {"trf.rows": sizes.max_len, **knobs}
    hidden = layers(
        entered(inputs, weights, knobs, "tgt"),
        inputs["memory"],
        weights,
        sizes.num_heads,
        sizes.num_layers,
        hiding_padding(inputs.get("src_mask"), inputs.get("src"), knobs, "src"),
        hiding_padding(inputs.get("tgt_mask"), inputs.get("ids"), knobs, "tgt"),
        knobs,
    )
    return left(hidden, inputs, weights, knobs)


component = Block(
    "decoder",
    "Decoder",
    "section 3.1 and figure 1",
    "Decoder",
    ("d_model", "num_heads", "num_layers", "d_ff", "dropout"),
    ("x", "memory", "src_mask", "tgt_mask"),
    compute,
    lambda sizes: stack_shapes(sizes, "dec") | embedding_shapes(sizes, "tgt"),
    of_ids(decoder_cases, "tgt_vocab"),
    bundle(
        of_its_depth(
            equality(
                "computes_the_stack", "num_layers layers, one after the other; a final norm is free", ["open", "even"]
            )
        ),
        equality(
            "target_mask_in_self_attention",
            "The target mask acts in self-attention of every layer",
            ["tgt", "tgt_even"],
            masks=True,
        ),
        equality(
            "source_mask_in_cross_attention",
            "The source mask acts in attention to the memory in every layer",
            ["src", "src_even"],
            masks=True,
        ),
        table_is_as_declared(),
        own_parameters("Layers and sublayers have parameters of their own", faults.sharing),
        registered("trf-layers-in-plain-list", norms=True),
        on_sublayers(optional=True),
        gradient(),
        manners(),
    ),
    faults.chained(
        faults.known("decoder"),
        faults.known("decoder_layer", of="decoder"),
        faults.known("decoder_layer", *faults.SUBLAYERS),
    ),
    (*faults.OF_WEIGHTS, *faults.OF_STACKS, *faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    free=tuple(
        {**norm, **causal}
        for causal in ({}, {"dec.forced_causal": "when_none"}, {"dec.forced_causal": "always"})
        for norm in ({}, {"decoder.final_norm": True})
    ),
    of_ids=EMBEDDED,
    cost=6,
    fixed_positions=True,
    settled=(*settled.DECODER_LAYER, settled.last_norm("decoder"), *settled.EMBEDDED, settled.PADDED_SOURCE),
    otherwise=(("ids", "memory", "src_mask", "tgt_mask"), ("ids", "memory", "src", "tgt_mask")),
)
