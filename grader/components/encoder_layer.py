"""The encoder layer (section 3.1, figure 1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

from grader.blocks import faults, settled
from grader.blocks.cases_layers import encoder_layer_cases
from grader.blocks.cases_steep import forgives_vanished_weights
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import on_sublayers
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import MASKS, layer_shapes
from grader.blocks.sizes import Sizes
from grader.paper.layers import encoder_layer as layer
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The layer with knobs."""
    return layer(inputs["x"], weights, sizes.num_heads, inputs.get("mask"), knobs)


_MASKED = [*MASKS, "steep"]

component = Block(
    "encoder_layer",
    "Encoder layer",
    "section 3.1 and figure 1",
    "EncoderLayer",
    ("d_model", "num_heads", "d_ff", "dropout"),
    ("x", "mask"),
    compute,
    lambda sizes: layer_shapes(sizes, "enc"),
    encoder_layer_cases,
    bundle(
        equality(
            "computes_the_layer",
            "Self-attention and feed-forward, each as LayerNorm(x + Sublayer(x))",
            ["open", "short"],
        ),
        forgives_vanished_weights(
            equality("mask_reaches_attention", "The mask reaches self-attention", _MASKED, masks=True), _MASKED
        ),
        on_sublayers(),
        own_parameters("Each sublayer has its own parameters", faults.sharing),
        gradient(),
        registered(norms=True),
        manners(),
    ),
    faults.known("encoder_layer", *faults.SUBLAYERS),
    (*faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    cost=2,
    settled=settled.ENCODER_LAYER,
)
