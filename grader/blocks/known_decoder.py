"""Known mistakes in the decoder layer (section 3.1, figure 1)."""

from __future__ import annotations

from grader.blocks.faults import Fault, family
from grader.blocks.known_attention import applies_a_mask
from grader.blocks.known_crossings import MASKS_CROSSED
from grader.blocks.known_layers import NORM, ORDER, READS, RESIDUAL, discarded, wrapping

_dec = family("decoder_layer", "section 3.1 and figure 1")
_CROSS = (
    "Where does the source sentence enter your decoder?",
    "Look at the three arguments of the second attention.",
    "The queries come from the decoder, keys and values from the encoder's output (section 3.2.3).",
)
_MASKS = (
    "Write next to each attention which tokens it may look at.",
    "Look at which mask goes to which attention.",
    "Self-attention reads target tokens and takes tgt_mask; attention to the memory takes src_mask.",
)

DECODER_LAYER: tuple[Fault, ...] = (
    _dec(
        "dec-cross-attends-itself",
        "The second attention takes keys and values from the decoder, so the source never enters.",
        *_CROSS,
        dec__key="state",
        dec__value="state",
    ),
    _dec(
        "dec-cross-attends-itself",
        "The second attention takes keys and values from the decoder and the target mask.",
        *_CROSS,
        dec__key="state",
        dec__value="state",
        dec__mask__cross="tgt",
    ),
    _dec(
        "dec-cross-attends-itself",
        "The second attention takes keys and values from the decoder and no mask.",
        *_CROSS,
        dec__key="state",
        dec__value="state",
        dec__mask__cross="none",
    ),
    *(
        _dec(
            "dec-ffn-reads-block-input",
            "The feed-forward network reads the layer's input instead of what attention gave.",
            *READS,
            dec__input__3="block",
            **residual,
        )
        for residual in ({}, {"dec__residual__3": "block"})
    ),
    _dec(
        "dec-cross-value-from-decoder",
        "The second attention takes its values from the decoder.",
        *_CROSS,
        dec__value="state",
    ),
    _dec(
        "dec-cross-key-from-decoder", "The second attention takes its keys from the decoder.", *_CROSS, dec__key="state"
    ),
    _dec(
        "dec-cross-attends-itself",
        "The second attention takes keys and values from the layer's input, so the source never enters.",
        *_CROSS,
        dec__key="input",
        dec__value="input",
    ),
    _dec(
        "dec-cross-query-skips-add-norm",
        "Attention to the memory is asked with the raw self-attention output instead of the result of Add & Norm.",
        "Which arrow of figure 1 enters the second attention as the query, and from which box?",
        _CROSS[1],
        _CROSS[2],
        dec__query="attention",
    ),
    _dec(
        "dec-cross-query-from-layer-input",
        "Attention to the memory is asked with the layer's input.",
        *_CROSS,
        dec__query="input",
    ),
    _dec(
        "dec-cross-query-from-memory",
        "Attention to the memory takes its queries from the memory.",
        *_CROSS,
        dec__query="memory",
    ),
    _dec(
        "dec-cross-roles-swapped",
        "Queries come from the memory, keys and values from the decoder.",
        *_CROSS,
        dec__query="memory",
        dec__key="state",
        dec__value="state",
    ),
    _dec("dec-self-attends-memory", "Self-attention reads the memory.", *_CROSS, dec__self_reads_memory=True),
    _dec("dec-cross-uses-tgt-mask", "Attention to the memory gets the target mask.", *_MASKS, dec__mask__cross="tgt"),
    _dec(
        "dec-masks-swapped",
        "Source and target mask are swapped.",
        *_MASKS,
        dec__mask__self="src",
        dec__mask__cross="tgt",
    ),
    _dec("dec-self-uses-src-mask", "Self-attention gets the source mask.", *_MASKS, dec__mask__self="src"),
    _dec("dec-tgt-mask-not-passed", "Self-attention gets no mask.", *_MASKS, dec__mask__self="none"),
    _dec(
        "dec-tgt-mask-not-passed",
        "A target mask that is given is replaced by a causal one.",
        *_MASKS,
        dec__forced_causal="instead",
    ),
    _dec("dec-src-mask-not-passed", "Attention to the memory gets no mask.", *_MASKS, dec__mask__cross="none"),
    _dec(
        "dec-masks-not-passed",
        "Neither mask is used.",
        *_MASKS,
        twin_told=applies_a_mask,
        dec__mask__self="none",
        dec__mask__cross="none",
    ),
    _dec(
        "dec-ffn-before-cross",
        "The feed-forward network comes before attention to the memory.",
        *ORDER,
        dec__order=("self_attention", "feed_forward", "cross_attention"),
    ),
    _dec(
        "dec-cross-before-self",
        "Attention to the memory comes before self-attention.",
        *ORDER,
        dec__order=("cross_attention", "self_attention", "feed_forward"),
    ),
    _dec(
        "dec-ffn-first",
        "The feed-forward network comes first.",
        *ORDER,
        dec__order=("feed_forward", "self_attention", "cross_attention"),
    ),
    _dec(
        "dec-missing-cross-attention",
        "There is no attention to the memory.",
        *_CROSS,
        dec__order=("self_attention", "feed_forward"),
    ),
    _dec(
        "dec-missing-self-attention",
        "There is no self-attention.",
        *ORDER,
        dec__order=("cross_attention", "feed_forward"),
    ),
    _dec(
        "dec-missing-feed-forward",
        "There is no feed-forward sublayer.",
        *ORDER,
        dec__order=("self_attention", "cross_attention"),
    ),
    _dec(
        "dec-ffn-residual-from-block-input",
        "The third residual adds the layer's input.",
        *RESIDUAL,
        dec__residual__3="block",
    ),
    _dec(
        "dec-cross-residual-from-block-input",
        "The second residual adds the layer's input.",
        *RESIDUAL,
        dec__residual__2="block",
    ),
    _dec(
        "dec-residual-from-block-input",
        "All residuals add the layer's input.",
        *RESIDUAL,
        dec__residual__2="block",
        dec__residual__3="block",
    ),
    *wrapping("dec", 3, "dec", "decoder_layer"),
    *discarded(_dec, "dec", "dec", 3),
    _dec(
        "dec-layernorm-unused",
        "The first two norms are never applied.",
        *NORM,
        dec__norm__1="none",
        dec__norm__2="none",
    ),
    *MASKS_CROSSED,
)
