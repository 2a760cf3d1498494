"""The decoder layer (section 3.1, figure 1) as a torch module: checks and misconceptions."""

from collections.abc import Mapping
from typing import Any

from grader.blocks import faults, settled
from grader.blocks.cases_layers import decoder_layer_cases
from grader.blocks.cases_steep import forgives_vanished_weights
from grader.blocks.checks import bundle, equality
from grader.blocks.checks_calls import manners
from grader.blocks.checks_dropout import on_sublayers
from grader.blocks.checks_parameters import gradient, own_parameters, registered
from grader.blocks.examine import Block
from grader.blocks.inputs import layer_shapes
from grader.blocks.sizes import Sizes
from grader.paper.layers import decoder_layer as layer
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles


def compute(weights: Roles, inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs) -> Array:
    """The layer with knobs."""
    return layer(
        inputs["x"], inputs["memory"], weights, sizes.num_heads, inputs.get("src_mask"), inputs.get("tgt_mask"), knobs
    )


_TARGET = ["tgt", "tgt_even", "steep"]

component = Block(
    "decoder_layer",
    "Decoder layer",
    "section 3.1 and figure 1",
    "DecoderLayer",
    ("d_model", "num_heads", "d_ff", "dropout"),
    ("x", "memory", "src_mask", "tgt_mask"),
    compute,
    lambda sizes: layer_shapes(sizes, "dec"),
    decoder_layer_cases,
    bundle(
        equality(
            "computes_the_layer",
            "Self-attention, attention to the memory and feed-forward, each as LayerNorm(x + Sublayer(x))",
            ["open", "even"],
        ),
        forgives_vanished_weights(
            equality("target_mask_in_self_attention", "The target mask acts in self-attention", _TARGET, masks=True),
            _TARGET,
        ),
        equality(
            "source_mask_in_cross_attention",
            "The source mask acts in attention to the memory",
            ["src", "src_even", "src_2", "src_full"],
            masks=True,
        ),
        on_sublayers(),
        own_parameters("Each sublayer has its own parameters", faults.sharing),
        gradient(),
        registered(norms=True),
        manners(),
    ),
    faults.known("decoder_layer", *faults.SUBLAYERS),
    (*faults.OF_LAYERS, *faults.OF_DROPOUT, *faults.EVERYWHERE),
    free=({}, {"dec.forced_causal": "when_none"}, {"dec.forced_causal": "always"}),
    cost=3,
    settled=settled.DECODER_LAYER,
)
