"""The encoder (section 3.1, figure 1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

from grader.blocks import faults, settled
from grader.blocks.around_stacks import EMBEDDED
from grader.blocks.cases_ids import of_ids
from grader.blocks.cases_layers import encoder_cases
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import on_sublayers
from grader.blocks.checks_model import table_is_as_declared
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.depth import of_its_depth
from grader.blocks.examine import Block
from grader.blocks.inputs import MASKS, embedding_shapes, stack_shapes
from grader.blocks.sizes import Sizes
from grader.paper.stacks import encoder as layers
from grader.paper.stacks import entered, hiding_padding, left
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The stack with knobs."""
    knobs = {"trf.rows": sizes.max_len, **knobs}
    x = entered(inputs, weights, knobs, "src")
    mask = hiding_padding(inputs.get("mask"), inputs.get("ids"), knobs, "src")
    return left(layers(x, weights, sizes.num_heads, sizes.num_layers, mask, knobs), inputs, weights, knobs)


component = Block(
    "encoder",
    "Encoder",
    "section 3.1 and figure 1",
    "Encoder",
    ("d_model", "num_heads", "num_layers", "d_ff", "dropout"),
    ("x", "mask"),
    compute,
    lambda sizes: stack_shapes(sizes, "enc") | embedding_shapes(sizes, "src"),
    of_ids(encoder_cases, "src_vocab"),
    bundle(
        of_its_depth(
            equality(
                "computes_the_stack", "num_layers layers, one after the other; a final norm is free", ["open", "short"]
            )
        ),
        equality("mask_reaches_every_layer", "The mask reaches self-attention in every layer", MASKS, masks=True),
        table_is_as_declared(),
        own_parameters("Layers and sublayers have parameters of their own", faults.sharing),
        registered("trf-layers-in-plain-list", norms=True),
        on_sublayers(optional=True),
        gradient(),
        manners(),
    ),
    faults.known("encoder", "encoder_layer", *faults.SUBLAYERS),
    (*faults.OF_WEIGHTS, *faults.OF_STACKS, *faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    free=({}, {"encoder.final_norm": True}),
    of_ids=EMBEDDED,
    cost=4,
    fixed_positions=True,
    settled=(*settled.ENCODER_LAYER, settled.last_norm("encoder"), *settled.EMBEDDED),
    otherwise=(("ids", "mask"),),
)
