"""Known mistakes in the stacks of layers (section 3.1; figure 1)."""

from __future__ import annotations

from grader.blocks.faults import Fault, family

_LAYERS = (
    "How many layers does your stack run, and in what order?",
    "Count the calls of layers in forward.",
    "A stack runs each of its num_layers layers once, in order, each with weights of its own.",
)
MEMORY = (
    "What does each decoder layer read from the source?",
    "Look at what is handed to the layers of the decoder.",
    "Every decoder layer reads the output of the last encoder layer.",
)
_STACK_MASK = (
    "Does every layer get the mask?",
    "Look at the call of each layer.",
    "Padding and the future are to be hidden in every layer.",
)


def stack(component: str, side: str) -> tuple[Fault, ...]:
    """Mistakes of one stack, ``encoder`` or ``decoder``, as they belong to a component."""
    make = family(component, "section 3.1 and figure 1")
    common = (
        make(
            f"{side}-runs-one-layer",
            "Only the first layer is run, or the last one left out.",
            *_LAYERS,
            **{f"{side}.layers": "first"},
        ),
        make(
            f"{side}-runs-one-layer",
            "Only the last layer is run, or the first one left out.",
            *_LAYERS,
            **{f"{side}.layers": "last"},
        ),
        make(
            f"{side}-runs-one-layer",
            "Every layer reads the stack's input, so that only the last one counts.",
            "What does the second layer read: the first one's result, or what the stack was given?",
            "Look at the two names in the line of your loop: what is set, and what is read?",
            "In a loop such as out = layer(x) the variable x never changes; x = layer(x) hands each result on.",
            **{f"{side}.layers": "on_input"},
        ),
        make(f"{side}-layer-too-many", "The last layer is run twice.", *_LAYERS, **{f"{side}.layers": "one_more"}),
        make(
            f"{side}-layer-too-many", "There is one layer more than num_layers.", *_LAYERS, **{f"{side}.layers": "more"}
        ),
    )
    if side == "encoder":
        return (
            *common,
            make(
                "encoder-mask-in-first-layer-only",
                "Only the first layer gets the mask.",
                *_STACK_MASK,
                **{"encoder.masked": "first"},
            ),
            make(
                "encoder-is-causal",
                "The encoder hides later positions, as a decoder does.",
                "Which source tokens may a source token look at?",
                "Look at the mask that the encoder's attention gets.",
                "Only the decoder predicts the next token; in the encoder every position sees all of the source.",
                **{"encoder.causal": True},
            ),
            make(
                "encoder-adds-input-again",
                "The stack's input is added after every layer.",
                *_LAYERS,
                **{"encoder.adds_input": True},
            ),
        )
    return (
        *common,
        make(
            "decoder-src-mask-in-first-layer-only",
            "Only the first layer gets the source mask.",
            *_STACK_MASK,
            **{"decoder.src_masked": "first"},
        ),
        make(
            "decoder-tgt-mask-in-first-layer-only",
            "Only the first layer gets the target mask.",
            *_STACK_MASK,
            **{"decoder.tgt_masked": "first"},
        ),
        make(
            "decoder-memory-replaced",
            "Later layers read the decoder's own output as memory.",
            *MEMORY,
            **{"decoder.memory": "replaced"},
        ),
    )


_SHARE = (
    "How many parameters should six layers have, compared with one?",
    "[layer] * n repeats one object; n calls of the class make n layers.",
    "The layers of a stack are alike, and each has weights of its own (section 3.1).",
)
_AGAIN = (
    "Which of your layers does each round of your loop call?",
    "Look at the index in the loop over your layers: is it a number, or the variable of the loop?",
    "The layers are all there, and one of them does the work of all; the weights of the others learn nothing.",
)
_PLAIN = (
    "Which of your weights will the optimiser be given?",
    "Look for a Python list where an nn.ModuleList belongs.",
    "parameters(), state_dict(), to(), train() and eval() find modules in registered containers only.",
)


def stack_signs(component: str) -> tuple[Fault, ...]:
    """Mistakes of a stack that values cannot show."""
    make = family(component, "section 3.1")
    return (
        make(
            "trf-layers-share-weights", "One layer object is repeated, so that all layers share their weights.", *_SHARE
        ),
        make("trf-one-layer-called-again", "One layer is called every time, and the others take no part.", *_AGAIN),
        make(
            "trf-layers-in-plain-list", "The layers are kept in a plain list, where torch does not see them.", *_PLAIN
        ),
        make("trf-stacks-share-weights", "Encoder and decoder share weights.", *_SHARE),
    )
